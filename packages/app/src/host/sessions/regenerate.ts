/** Another answer to the same message: in a fork, so that the first one stays. */
import { allOf, firstOf } from "@margay/core/internal";
import type { UserMessage } from "@margay/core";
import type { Seq, SessionId, Summary } from "@margay/core/internal";
import { callsOf } from "@margay/core/internal/state";
import type { z } from "zod";
import { Problem } from "../api/problem.ts";
import type { Making } from "../api/route.ts";
import type { RegenerateBody, RegeneratedSchema } from "../../protocol/sessions.ts";
import { eventsOf, requireWritable, type Caller } from "./access.ts";
import { configureSession } from "./configure.ts";
import { adopt, requireModel } from "./create.ts";
import { forked } from "./forked.ts";
import { titleOf } from "./marks.ts";
import { sendMessage, type Said } from "./send.ts";

/** @throws Problem `turn.has-writes` with the calls that changed something, unless that was confirmed. */
export async function regenerate(
  caller: Caller & Making,
  session: Summary,
  { turn, model, confirmWrites = false }: z.infer<typeof RegenerateBody>,
): Promise<z.infer<typeof RegeneratedSchema>> {
  requireWritable(session);
  const { services } = caller;
  const { reader, marks } = eventsOf(services);
  if (model !== undefined) requireModel(services, model);
  const { items } = await reader.view(session.id);
  const message = items.find((item) => item.kind === "user" && item.turn === turn);
  if (message?.kind !== "user")
    throw new Problem("message.not-found", `No message of a person began the turn ${turn}.`);
  const writes = items
    .flatMap((item) => (item.kind === "assistant" && item.turn === turn ? callsOf(item) : []))
    .filter(({ effect, attempts }) => effect !== "read" && attempts > 0);
  if (writes.length > 0 && !confirmWrites)
    throw new Problem("turn.has-writes", {
      detail: `This turn changed something with ${writes.length} calls; they would be made again.`,
      remedy: "Confirm with confirmWrites: true.",
      more: { calls: writes.map(({ call, name, preview }) => ({ call, name, preview })) },
    });
  const repeats = await received(caller, session.id, message.id);
  const before = Number(message.id.split(".")[0]) - 1;
  const fork = await forked(caller, session.key, before as Seq); // of the commit before
  const mark = marks.of(session.id);
  const branch = await adopt(services, fork.state.id, { title: titleOf(mark, session), folder: mark.folder });
  await configureSession(caller, branch, { model });
  const sent = await sendMessage(caller, branch, { parts: partsOf(repeats), repeats }, caller.newId("key"));
  return { session: branch.id, messageId: sent.messageId ?? "" };
}

/** As it was received, nothing cut. */
async function received({ services }: Caller, session: SessionId, item: string): Promise<UserMessage> {
  const [seq, index] = item.split(".").map(Number);
  let found: UserMessage | undefined;
  for await (const commit of eventsOf(services).reader.whole(session, (seq ?? 1) - 1)) {
    const at = found === undefined ? (index ?? 0) : 0;
    found ??= firstOf(commit.records.slice(at, at + 1), "message.received")?.message;
    if (found === undefined) break;
    const { id } = found;
    // As its author has changed it; and what was written down of its voice notes is paid for.
    found = allOf(commit.records, "message.edited").findLast(({ message }) => message.id === id)?.message ?? found;
    for (const { message, part } of allOf(commit.records, "media.fetched"))
      if (message === id) found = { ...found, parts: [...found.parts, part] };
    for (const { message, text } of allOf(commit.records, "voice.transcribed"))
      if (message === id) found = { ...found, parts: [...found.parts, { type: "text", text }] };
    if (allOf(commit.records, "model.requested").some(({ placed }) => placed.includes(id))) break;
  }
  if (found !== undefined) return found;
  throw new Problem("message.not-found", "The message is not in the journal any more.");
}

function partsOf({ parts }: UserMessage): Said["parts"] {
  return parts.map((part) =>
    part.type === "text"
      ? part
      : { type: "media", blob: { ...part.blob }, ...(part.name !== undefined && { name: part.name }) },
  );
}
