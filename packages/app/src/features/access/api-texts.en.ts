/** What routes of access say. */
export const en = {
  admittedByConfiguration: "What {sender} may do is written in the configuration.",
  noSuchPerson: "There is no such person. `margay people list` shows them.",
  removeIdFrom: "Remove the id from {list}, and let the person pair.",
  sayingWhoSomebodyIs: "Saying who somebody is",
  makingSomebodyOperator: "Making somebody an operator",
  noSuchContact: "There is no such contact.",
  listsThem: "GET /api/v1/contacts lists them.",
  noSuchCode: "No such code is valid now: it was used, rejected, or is older than ten minutes.",
  letPersonWrite: "Let the person write again: a new code is offered.",
  invitation: "I don't know you yet. Ask the operator to run: margay channels pair {code} (valid for 10 minutes)",
} as const;
