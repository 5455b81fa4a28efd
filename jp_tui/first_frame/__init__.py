"""The first frame: what is on the screen, and what takes the keys, until the app is loaded.

Loading Textual, the workspace and the engine takes a few tenths of a second. A program that lets the user wait so long
drops or garbles what is typed meanwhile. So the guardian (`guardian/parent.py`), which needs nothing that loads, shows
a frame within milliseconds, echoes what is typed, and hands both over. The way of a start:

1. `main` looks at the words of the command line and makes an `EarlyScreen` (`early_screen.py`). The guardian forks,
   makes the terminal raw without a flush, and has the frame drawn: `saved_look.py` reads the look of the last run
   (colours, signs, keys, folder) from a small file, `skeleton.py` places it. In doubt nothing is drawn.
2. What is typed is text as far as its meaning is certain (`typed_keys.py`), and echoed. The first key with another
   meaning, such as Enter, freezes the line: it and all that follow are kept as bytes for the app.
3. The child reads the few settings that a frame needs from a cache, if no file has changed (`cached_settings.py`).
   If it resumes a conversation whose last screen was kept and is still true, it has the guardian paint that
   (`last_screen.py`): same conversation and last event, title and model, size and kind of terminal, settings.
4. The app starts behind the frame. Its driver holds back what it paints (`ui/driver/first_frame.py`). Once its first
   whole frame is painted, or with a last screen the conversation itself, the app takes the keys and shows the frame in
   one write, with everything that was typed in it (`ui/handover.py`). A new conversation's first screen is in it if it
   was kept and is still true (`new_conversation.py`).
5. For the next start `ui/capture.py` reads the painted cells: the look a second after the hand-over and at the end, the
   last screen when the workspace is left while nothing happens in it. `startup/workspace.py` keeps the first screen.

Who may import what: the guardian imports nothing of this package, it is given the screen. The package imports neither
Textual nor the front ends; what it needs of the painted screen comes from `ui`. `early_screen`, `skeleton`,
`saved_look` and `typed_keys` import only the guardian and the bare modules of designs.md A.2, since they are loaded
before the fork.

Files, all in the state folder, 0600 and untrusted when read: `first-frame` (one more for each `--theme`),
`first-wishes` (the cached settings), `last-screens/` (one file a conversation, the newest eight; deleting a
conversation removes its own), `new-conversations/` (one file a folder, the newest eight; deleting a conversation
removes all).
"""
