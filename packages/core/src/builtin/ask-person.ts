/** `ask_person`: somebody else of the home is asked, and says themself whether anything is answered. */
import type { Agent } from "../contract/agent.ts";
import type { Tool } from "../contract/tool.ts";
import { defineTool, toolError } from "../tools/define.ts";

interface AskInput {
  readonly person: string;
  readonly question: string;
}

/** What is looked up for a draft takes a few requests. */
const TIMEOUT_MS = 300_000;

/** @param ask returns how they are called. */
export function askPersonTool(ask: Agent["askPerson"]): Tool {
  return defineTool<AskInput>({
    name: "ask_person",
    description:
      "Asks somebody else of this home about what is theirs. They decide whether to answer; an answer arrives here by itself.",
    input: {
      properties: {
        person: { type: "string", description: "Their name." },
        question: { type: "string", minLength: 1, maxLength: 1000, description: "All they have to know." },
      },
      required: ["person", "question"],
    },
    effect: "idempotent",
    timeoutMs: TIMEOUT_MS,
    execute: async ({ person, question }, { sessionId: session, callId: call, signal }) => {
      const name = await ask({ session, call, person, question, signal });
      // The same whatever was found.
      return name === undefined
        ? toolError(`nobody called ${person} can be asked`, "say so")
        : `${name} was asked; if they answer it will arrive here.`;
    },
  });
}
