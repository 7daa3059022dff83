/** Why a call asks, what could go wrong, and what a yes that is kept covers. */
import { ASKED_WORDS } from "../../protocol/asked-words.en.ts";

export const en = {
  ...ASKED_WORDS,
  folder: "Folder",
  session: "Allow in this chat",
  always: "Always allow…",
  "session.hint": "Calls that are exactly the same run unasked in this chat, until /new.",
  "always.title": "This rule is saved for all chats",
  "always.why":
    "Calls that fit it exactly run unasked, except in work that runs without you. Approvals lists it and takes it back.",
  "always.network":
    "Commands reach this host and port unasked from now on, also in work that runs without you. Approvals lists it and takes it back.",
  "always.shares":
    "What is made of just these is told to the same person from now on, and nobody is asked, as long as they stand there as they do now. `/shared` lists that and takes it back.",
  "always.shares-title": "These may be told from now on",
  "went-on": "The command went on without it. A yes counts for the next call of this turn.",
  "always.save": "Save and allow",
  back: "Back",
  late: "Not answered in time: the model was told, and the turn goes on.",
  "of-owner": "An operator answers this.",
  elsewhere: "It was settled elsewhere.",
  "kept.session": "in this chat",
  "kept.always": "in all chats",
  "kept.shared": "and from these always",
} as const;
