/** What routes of personas say. */
export const en = {
  noBudgetHas: "No budget has room for a request.",
  cameMargay: "{id} came with margay.",
  duplicateAndEdit: "Duplicate it and edit the copy.",
  noPersona: "There is no persona {id}.",
  listsThem: "GET /api/v1/personas lists them.",
  personaAlready: "There is a persona {id} already.",
  chooseAnotherId: "Choose another id.",
  myWords: "My words",
} as const;
