/** The few commands a token may use: they concern its conversation alone. */
import type { Address, AgentEvent, ContentPart, Sender } from "@margay/core";
import { bySomeKind, NO_USAGE, OUR_NAMES, parseCommand, type SomeKinds } from "@margay/core/internal";
import type { App } from "../../app.ts";
import { TOKEN_COMMANDS } from "../../host/sessions/send.ts";
import type { AnswerEvent } from "./reply/events.ts";
import { refusal } from "./errors.ts";

/** @throws Problem `command_not_allowed`: a command is never sent to a model. */
export function commandOf(parts: readonly ContentPart[], named: boolean): string | undefined {
  const text = parts.map((part) => (part.type === "text" ? part.text : "")).join("");
  const command = parseCommand(text, OUR_NAMES);
  if (command === undefined) return undefined;
  const { name, argument } = command;
  if (!TOKEN_COMMANDS.has(name) || argument !== undefined)
    throw refusal(
      "command_not_allowed",
      "messages",
      `/${name} is not a command that a token may use here.`,
      "There are /new, /stop, /help and /status. Put a word before the slash to send it as text.",
    );
  if (!named)
    throw refusal(
      "command_not_allowed",
      "messages",
      `/${name} needs a session that has a name.`,
      "Send the header Margay-Session.",
    );
  return name;
}

export interface Command {
  readonly sessionKey: string;
  readonly key: string;
  readonly parts: readonly ContentPart[];
  readonly origin: Address;
  readonly from: Sender;
}

/** Commands act at once, beside the queue; their answer is a reply of kind `command`. */
export async function answerCommand(
  { sessionKey, key, parts, origin, from }: Command,
  app: App,
): Promise<AsyncIterable<AnswerEvent>> {
  const session = await app.agent.sessions.open(sessionKey, origin);
  let handled = false;
  let text = "";
  const heard: SomeKinds<AgentEvent, [], void> = {
    "command.handled": (event) => {
      handled = event.key === `${origin.channel}\n${key}`;
    },
    "reply.queued": ({ kind, parts: said }) => {
      if (kind === "command" && handled && text === "")
        text = said.map((part) => (part.type === "text" ? part.text : "")).join("");
    },
  };
  const end = session.subscribe((event) => bySomeKind(heard, event));
  try {
    await app.agent.send(sessionKey, parts, { origin, from, key }).finished;
  } finally {
    end();
  }
  return (async function* (): AsyncGenerator<AnswerEvent> {
    yield { type: "text", round: 0, text };
    yield { type: "ended", finish: "stop", usage: NO_USAGE };
  })();
}
