"""What a stylesheet makes of a widget, remembered from one app to the next: a test's app has the widgets of the last
one's, and finding and setting their rules again was a quarter of the time of these tests.

Nothing is taken for equal that isn't: remembered is what Textual itself made of the same rule sets for the same types,
names, classes and pseudo-classes from the app down to the widget. Rules whose value a widget has are not set again.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest
from textual import active_app
from textual.css.model import RuleSet
from textual.css.styles import RulesMap
from textual.css.stylesheet import Stylesheet
from textual.css.tokenize import tokenize_values
from textual.dom import DOMNode
from textual.style import Style

OF_APP = frozenset({"dark", "light", "inline", "ansi", "nocolor"})
"""Pseudo-classes that a widget has where its app has them."""
MOST = 20_000
"""Remembered widgets, before all are forgotten."""

_parse, _parse_style, _apply = Stylesheet._parse_rules, Stylesheet.parse_style, Stylesheet.apply
_replace = Stylesheet.replace_rules.__func__  # type: ignore[attr-defined]


# -- a sheet's text

_parsed: dict[object, list[RuleSet]] = {}
_known: dict[frozenset[tuple[str, str]], int] = {}


def variables(sheet: Stylesheet) -> int:
    """A number for a sheet's variables, hundreds of them; it gets other ones as a whole."""
    seen: tuple[object, int] | None = sheet.__dict__.get("_seen_variables")
    if seen is None or seen[0] is not sheet._variables:
        seen = (sheet._variables, _known.setdefault(frozenset(sheet._variables.items()), len(_known)))
        sheet.__dict__["_seen_variables"] = seen
    return seen[1]


def parsed(sheet: Stylesheet, css: str, read_from: object, *more: object, **named: object) -> list[RuleSet]:
    """What Textual's parser made of the same text with the same variables; it forgets that with each app."""
    key = (css, read_from, more, frozenset(named.items()), variables(sheet))
    if key not in _parsed:
        _parsed[key] = _parse(sheet, css, read_from, *more, **named)  # type: ignore[arg-type]
    return _parsed[key]


_tokens: dict[int, Any] = {}
_styles: dict[tuple[str, int], Style] = {}


def tokens(sheet: Stylesheet) -> Any:
    """The tokens of a sheet's variables."""
    number = variables(sheet)
    if number not in _tokens:
        _tokens[number] = tokenize_values(sheet._variables)
    return _tokens[number]


def style(sheet: Stylesheet, text: str | Style) -> Style:
    """A style of this text, with the variables of the app that runs: Textual takes those."""
    if isinstance(text, Style):
        return text
    app = active_app.get(None)
    key = (text, -1 if app is None else variables(app.stylesheet))
    if key not in _styles:
        _styles[key] = _parse_style(sheet, text)
    return _styles[key]


# -- the rules for a widget


@dataclass(slots=True, eq=False)
class Kind:
    """Rule sets that may apply to a widget: Textual's four marks, and the pseudo-classes that decide, those
    that all of an app have alike, those of each widget down to it, and those of it alone, at the end of a selector."""

    marks: tuple[bool, bool, bool, bool]
    of_app: tuple[str, ...]
    of_each: tuple[str, ...]
    of_it: tuple[str, ...]
    shared: bool
    """Whether Textual shares the rules among the widgets of one update."""


_sheets: dict[tuple[int, ...], int] = {}
_kinds: dict[object, Kind] = {}
_alike: dict[tuple[int, ...], Kind] = {}
_found: dict[object, RulesMap | None] = {}
_watched: list[list[Any]] = []
"""Widgets whose rules are being found, each with what was found."""


def _number(sheet: Stylesheet) -> int:
    """A number for a sheet's rule sets; `parsed` keeps all of them, so that none takes another one's place."""
    rules = sheet.rules
    seen: tuple[object, int] | None = sheet.__dict__.get("_seen_rules")
    if seen is None or seen[0] is not rules:
        seen = (rules, _sheets.setdefault(tuple(map(id, rules)), len(_sheets)))
        sheet.__dict__["_seen_rules"] = seen
    return seen[1]


def _kind(sheet: Stylesheet, node: DOMNode) -> Kind:
    key = (_number(sheet), type(node), node._id, node.classes)
    kind = _kinds.get(key)
    if kind is None:
        rules_map = sheet.rules_map
        rules = {rule for name in rules_map.keys() & node._selector_names for rule in rules_map[name]}
        asked: set[str] = set().union(*(rule.pseudo_classes for rule in rules))
        marks = (
            "hover" in asked,
            "focus-within" in asked,
            not asked.isdisjoint({"first-of-type", "last-of-type", "first-child", "last-child", "empty"}),
            "odd" in asked or "even" in asked,
        )
        shared = asked.isdisjoint(sheet._EXCLUDE_PSEUDO_CLASSES_FROM_CACHE)
        same = tuple([id(rule) for rule in sheet.rules if rule in rules])  # of another sheet, but in the same order
        ways = [one.selectors for rule in rules for one in rule.selector_set]
        above: set[str] = set().union(*(one.pseudo_classes for way in ways for one in way[:-1])) - OF_APP
        made = Kind(marks, tuple(asked & OF_APP), tuple(above), tuple(asked - above - OF_APP), shared)
        kind = _kinds[key] = _alike.setdefault(same, made)
    return kind


def _has(node: DOMNode, name: str) -> bool | None:
    known = node._PSEUDO_CLASSES.get(name)
    return None if known is None else bool(known(node))


def place(sheet: Stylesheet, node: DOMNode) -> tuple[Kind, tuple[object, ...]]:
    """All that the rules for a widget depend on."""
    kind, nodes = _kind(sheet, node), node.css_path_nodes
    if kind.of_each:
        path = tuple([(type(one), one._id, one.classes, *[_has(one, name) for name in kind.of_each]) for one in nodes])
    else:
        path = tuple([(type(one), one._id, one.classes) for one in nodes])
    return kind, (
        kind,
        path,
        *[_has(nodes[0], name) for name in kind.of_app],
        *[_has(node, name) for name in kind.of_it],
    )


def applied(
    sheet: Stylesheet, node: DOMNode, *, animate: bool = False, cache: dict[Any, RulesMap] | None = None
) -> None:
    """Take the place of Textual's `apply`."""
    kind, among = _kind(sheet, node), None
    if kind.shared and cache is not None:  # as Textual has it, in its order
        name = node._id if node._id is not None and f"#{node._id}" in sheet.rules_map else None
        among = (node._parent, name, node.classes, node._pseudo_classes_cache_key, node._css_type_name)
    found = cache.get(among) if cache is not None and among is not None else None
    if found is None:
        _, key = place(sheet, node)
        if key not in _found:
            if len(_found) > MOST:
                _found.clear()
                _converted.clear()
            _watched.append([node, None])
            _apply(sheet, node, animate=animate, cache=cache)
            _found[key] = _watched.pop()[1]
            return
        found = _found[key]
        if cache is not None and among is not None and found is not None:
            cache[among] = found
    node._has_hover_style, node._has_focus_within, node._has_order_style, node._has_odd_or_even = kind.marks
    if found is not None:
        sheet.replace_rules(node, found, animate=animate)
    components(sheet, node)


def components(sheet: Stylesheet, node: DOMNode) -> None:
    """Take the place of Textual's `_process_component_classes`, which makes all nodes of components anew."""
    names = _names.get(type(node))
    if names is None:
        names = _names[type(node)] = sorted(node._get_component_classes())
    if not names:
        return
    made: dict[str, tuple[DOMNode, object]] = node.__dict__.setdefault("_made_components", {})
    changed = False
    for name in names:
        styles = node._component_styles.get(name)
        one, key = made.get(name, (None, None))
        if one is not None and styles is one.styles and place(sheet, one)[1] == key:
            continue
        one = DOMNode(classes=name)
        one._attach(node)
        sheet.apply(one, animate=False)
        changed = changed or styles != one.styles
        node._component_styles[name] = one.styles
        made[name] = (one, place(sheet, one)[1])
    if changed:
        node.refresh()


_names: dict[type[DOMNode], list[str]] = {}


# -- setting them

_converted: dict[int, tuple[RulesMap, RulesMap]] = {}
"""For rules by their identity, those rules, and what is there once a component's were set."""


def replaced(cls: type[Stylesheet], node: DOMNode, rules: RulesMap, animate: bool = False) -> None:
    """Take the place of Textual's `replace_rules`."""
    if _watched and _watched[-1][0] is node:
        _watched[-1][1] = rules
    base = node.styles.base
    there = base._rules
    if type(node) is DOMNode and not there:  # a component: nobody but its widget asks for it
        kept = _converted.get(id(rules))
        if kept is None:
            _replace(cls, node, rules, False)
            _converted[id(rules)] = (rules, there.copy())
        else:
            there.update(kept[1])
            base._updates += 1
    elif animate and "transitions" in rules:
        _replace(cls, node, rules, animate)
    else:
        for name in there.keys() | rules.keys():
            value = rules.get(name)
            if there.get(name) != value:
                setattr(base, name, value)
        node.notify_style_update()


def remember(patch: pytest.MonkeyPatch) -> None:
    """Let all stylesheets do so."""
    patch.setattr(Stylesheet, "_parse_rules", parsed)
    patch.setattr(Stylesheet, "_variable_tokens", property(tokens))
    patch.setattr(Stylesheet, "parse_style", style)
    patch.setattr(Stylesheet, "apply", applied)
    patch.setattr(Stylesheet, "replace_rules", classmethod(replaced))
    patch.setattr(RuleSet, "__hash__", object.__hash__)  # the same number, without a call
