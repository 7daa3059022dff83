/** The end of a chain of turns that nobody asked for: its last results are in the context and in the chat, and no model is asked. */
import type { JournalRecord } from "../../contract/record.ts";
import type { Session } from "../../contract/session.ts";
import { someMarks } from "../../lib/labels.ts";
import { ellipsis } from "../../lib/text.ts";
import { reduce } from "../../session/reduce.ts";
import type { TurnDeps } from "../deps.ts";
import type { Step } from "../step.ts";
import { resultsText } from "../texts.ts";
import { hideLinks } from "../../channels/markup/outgoing-links.ts";

const MAX_CHARS = 1000;

export async function deliverResults(
  { results, to }: Extract<Step, { do: "deliver" }>,
  session: Session,
  { settings: { language }, clock }: Pick<TurnDeps, "settings" | "clock">,
): Promise<void> {
  const placed: JournalRecord = { type: "messages.placed", ids: results.map(({ message }) => message.id) };
  const [first] = results;
  if (to === undefined || first === undefined) {
    await session.commit(placed);
    return;
  }
  const texts = results.map(({ message }) =>
    ellipsis(message.parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n"), MAX_CHARS),
  );
  const seen = reduce(session.state, placed, clock.now()); // what it may say depends on what is in it
  await session.commit(placed, {
    type: "reply.queued",
    reply: `results:${first.message.id}`,
    to,
    kind: "message",
    parts: [{ type: "text", text: hideLinks(resultsText(language, texts), seen, language) }],
    ...someMarks(seen.label),
  });
}
