"""The teas we know, as told by docs/brewing.md."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Tea:
    name: str
    celsius: int
    seconds: int


TEAS = {
    "green": Tea("Green tea", celsius=100, seconds=120),
    "black": Tea("Black tea", celsius=95, seconds=240),
    "oolong": Tea("Oolong", celsius=90, seconds=180),
    "rooibos": Tea("Rooibos", celsius=100, seconds=420),
}


def describe(tea: Tea) -> str:
    """One line for people: name, temperature, minutes and seconds."""
    minutes, seconds = divmod(tea.seconds, 60)
    return f"{tea.name}: {tea.celsius} °C, {minutes}:{seconds:02}"
