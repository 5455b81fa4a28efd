"""All input and state values under one name: `state.py` and `inputs.py`. Outputs are in `effects.py`. Nothing is
defined here."""

from __future__ import annotations

from jp_tui.inquiry.inputs import CallFailed as CallFailed
from jp_tui.inquiry.inputs import CallGone as CallGone
from jp_tui.inquiry.inputs import CallResumed as CallResumed
from jp_tui.inquiry.inputs import CallStarted as CallStarted
from jp_tui.inquiry.inputs import ClientLeft as ClientLeft
from jp_tui.inquiry.inputs import DeadlinePassed as DeadlinePassed
from jp_tui.inquiry.inputs import DeliveryWanted as DeliveryWanted
from jp_tui.inquiry.inputs import HumanAnswered as HumanAnswered
from jp_tui.inquiry.inputs import HumanCancelled as HumanCancelled
from jp_tui.inquiry.inputs import HumanDelivered as HumanDelivered
from jp_tui.inquiry.inputs import HumanEdited as HumanEdited
from jp_tui.inquiry.inputs import HumanEndedTurn as HumanEndedTurn
from jp_tui.inquiry.inputs import HumanPermitted as HumanPermitted
from jp_tui.inquiry.inputs import HumanReplied as HumanReplied
from jp_tui.inquiry.inputs import HumanRestored as HumanRestored
from jp_tui.inquiry.inputs import HumanSpoke as HumanSpoke
from jp_tui.inquiry.inputs import HumanSubmitted as HumanSubmitted
from jp_tui.inquiry.inputs import HumanTookOver as HumanTookOver
from jp_tui.inquiry.inputs import HumanUnanswered as HumanUnanswered
from jp_tui.inquiry.inputs import HumanWentBack as HumanWentBack
from jp_tui.inquiry.inputs import Input as Input
from jp_tui.inquiry.inputs import PermissionWanted as PermissionWanted
from jp_tui.inquiry.inputs import QuestionRaised as QuestionRaised
from jp_tui.inquiry.inputs import RelayClosed as RelayClosed
from jp_tui.inquiry.inputs import RelayWanted as RelayWanted
from jp_tui.inquiry.inputs import ReviewerAnswered as ReviewerAnswered
from jp_tui.inquiry.inputs import ReviewerFailed as ReviewerFailed
from jp_tui.inquiry.inputs import ReviewWanted as ReviewWanted
from jp_tui.inquiry.inputs import Revoked as Revoked
from jp_tui.inquiry.inputs import TurnResumed as TurnResumed
from jp_tui.inquiry.state import DELIVERY as DELIVERY
from jp_tui.inquiry.state import PERMISSION as PERMISSION
from jp_tui.inquiry.state import REVIEW as REVIEW
from jp_tui.inquiry.state import AskMode as AskMode
from jp_tui.inquiry.state import EarlierVerdict as EarlierVerdict
from jp_tui.inquiry.state import EscalationCause as EscalationCause
from jp_tui.inquiry.state import GivenAnswer as GivenAnswer
from jp_tui.inquiry.state import Insists as Insists
from jp_tui.inquiry.state import Last as Last
from jp_tui.inquiry.state import Ledger as Ledger
from jp_tui.inquiry.state import OpenDelivery as OpenDelivery
from jp_tui.inquiry.state import OpenPermission as OpenPermission
from jp_tui.inquiry.state import OpenQuestion as OpenQuestion
from jp_tui.inquiry.state import OpenReview as OpenReview
from jp_tui.inquiry.state import Policy as Policy
from jp_tui.inquiry.state import Recorded as Recorded
from jp_tui.inquiry.state import Rejected as Rejected
from jp_tui.inquiry.state import RememberedAnswer as RememberedAnswer
from jp_tui.inquiry.state import Rule as Rule
from jp_tui.inquiry.state import State as State
from jp_tui.inquiry.state import Target as Target
from jp_tui.inquiry.state import Waiting as Waiting
from jp_tui.inquiry.state import Work as Work
