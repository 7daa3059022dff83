/** Texts of the page of prompts. */
export const en = {
  why: "What you write again and again. Type / and its name in the message field: the text stands there, and the first place to fill in is selected; Tab goes on to the next.",
  none: "No prompt is kept yet.",
  new: "New prompt",
  edit: "Change the prompt",
  name: "Name",
  nameHint: "Typed behind a slash.",
  nameWrong: "Letters, digits, - and _, at most 32, without spaces.",
  text: "Text",
  textHint: "{place} is a place to fill in; {named} says what goes there.",
  named: "the language",
  leave: "Leave it",
  save: "Keep it",
  editIt: "Change {name}",
  removeIt: "Forget {name}",
  gone: "/{name} is forgotten.",
} as const;
