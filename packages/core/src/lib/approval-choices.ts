/** For how long a yes to a question can hold. */
export function choicesOf(grant: { readonly always?: true } | undefined): readonly ("once" | "session" | "always")[] {
  if (grant === undefined) return ["once"];
  return grant.always === true ? ["once", "session", "always"] : ["once", "session"];
}
