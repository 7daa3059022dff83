// Which classes the policy puts the calls of a tool in: it is asked, in every situation that it tells apart.
import { classOf } from "../../../packages/core/src/policy/call-class.ts";

const GROUP = "group:shown";

/** @returns names of classes, in the order of the situations. */
export function classesOf({ name, effect }) {
  const found = new Set();
  for (const known of [true, false])
    for (const confidentiality of ["normal", "sensitive"])
      for (const audience of [undefined, GROUP])
        for (const place of ["inside", "protected", "outside", "state"])
          for (const input of inputsOf(name)) {
            const endorsement = { isNamed: () => known, isQuoted: () => known };
            const context = {
              state: { label: { integrity: "trusted", confidentiality }, audience },
              origin: { channel: "web", chat: "here" },
              attended: true,
              effect,
            };
            const options = { endorsement, classifyPath: () => place, isContact: () => known };
            found.add(classOf({ type: "tool-call", callId: "shown", name, input }, context, options));
          }
  return [...found];
}

/** What the class of a call depends on. */
function inputsOf(name) {
  if (name === "cron") return [{ action: "list" }, { action: "add" }];
  if (name === "message") return [{}, { channel: "web", chat_id: "there" }];
  return [{ path: "a", url: "https://example.com/" }];
}
