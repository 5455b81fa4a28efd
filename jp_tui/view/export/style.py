"""Styles of an exported page: one column, light or dark by the reader's system, and a print layout.

Text without addresses, so nothing is loaded.
"""

from __future__ import annotations

STYLE = """\
:root {
  color-scheme: light dark;
  --page: #fdfcf9; --text: #22252a; --quiet: #5d646e; --line: #d9d6cf; --box: #f4f1ea; --you: #e9eff7;
  --link: #0b57a4; --good: #1d6b35; --bad: #a12622; --ask: #7a4b00; --added: #e2f3e4; --removed: #fae4e2;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #16181c; --text: #dfe2e7; --quiet: #9aa2ad; --line: #363b43; --box: #1f2329; --you: #1d2734;
    --link: #8ab9f0; --good: #86cf99; --bad: #f19a94; --ask: #e4b768; --added: #1c3423; --removed: #3d2222;
  }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--text); font: 16px/1.55 system-ui, sans-serif; }
main { max-width: 52rem; margin: 0 auto; padding: 2rem 1.25rem 4rem; overflow-wrap: break-word; }
header { border-bottom: 1px solid var(--line); margin-bottom: 1.5rem; }
h1 { font-size: 1.6rem; line-height: 1.25; margin: 0 0 .25rem; }
h2 { font-size: 1rem; margin: 2rem 0 .5rem; }
h3 { font-size: .95rem; margin: .25rem 0; font-weight: 600; }
header p, .quiet, h2 .quiet, h3 .quiet { color: var(--quiet); font-size: .9rem; font-weight: 400; }
a { color: var(--link); }
.host { color: var(--ask); }
pre, code { font: .875rem/1.5 ui-monospace, "SFMono-Regular", Menlo, Consolas, monospace; }
pre { margin: .5rem 0; padding: .75rem; background: var(--box); border: 1px solid var(--line); border-radius: .4rem;
  overflow-x: auto; tab-size: 4; }
.plain { white-space: pre-wrap; }
blockquote { margin: .5rem 0; padding-left: .9rem; border-left: 3px solid var(--line); color: var(--quiet); }
table { border-collapse: collapse; display: block; overflow-x: auto; }
th, td { border: 1px solid var(--line); padding: .3rem .6rem; text-align: left; }
.you { background: var(--you); border-radius: .5rem; padding: .1rem 1rem .4rem; margin: 1.75rem 0 1rem; }
.you h2 { margin: .6rem 0 .2rem; }
.tool { border-left: 3px solid var(--line); padding: .1rem 0 .1rem .9rem; margin: .9rem 0; }
.asked { border: 1px solid var(--ask); border-radius: .5rem; padding: .3rem 1rem .6rem; margin: .7rem 0; }
.answer { border-top: 1px solid var(--line); margin-top: .5rem; }
.answer.good strong { color: var(--good); }
.answer.bad strong, .ending strong { color: var(--bad); }
details { margin: .4rem 0; }
summary { color: var(--quiet); cursor: pointer; font-size: .9rem; }
dl { margin: .3rem 0; }
dt { font-weight: 600; font-size: .9rem; }
dd { margin: 0; }
.added { background: var(--added); }
.removed { background: var(--removed); }
.place { color: var(--quiet); }
@media print { main { max-width: none; padding: 0; } pre { white-space: pre-wrap; } }
"""
