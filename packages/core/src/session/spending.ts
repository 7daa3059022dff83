/** What was spent: one rule for `/usage`, budgets, `margay usage` and `margay status`. */
import type { Address, ModelRef, Usage } from "../contract/message.ts";
import type { Audience, PersonId } from "../contract/people.ts";
import type { Commit, ErrorInfo, JournalRecord } from "../contract/record.ts";
import type { SessionState } from "../contract/session.ts";
import type { Places, SpentRequest } from "../contract/spending.ts";
import { isGroup, isPerson } from "../lib/audience.ts";
import { addUsage } from "../lib/usage.ts";

/** What the request behind a record cost; undefined when there was none. Whatever else says its `usage` is counted. */
export function usageOf(record: JournalRecord): Usage | undefined {
  if (record.type === "model.responded") return record.message.usage;
  if (record.type === "turn.ended" || !("usage" in record)) return undefined; // a turn says the sum of its requests
  // After a consolidation, which was counted when it answered, or without any request.
  if (record.type === "history.compacted" && record.usage.input + record.usage.output === 0) return undefined;
  return record.usage;
}

/** Every request of one session, from its commits. What a fork copied was spent by the original. */
export async function* spendingOf(commits: AsyncIterable<Commit> | Iterable<Commit>): AsyncGenerator<SpentRequest> {
  const fold = spendingFold();
  for await (const commit of commits) yield* fold(commit);
}

/** Commit by commit. @param from What the first of them goes on from. */
export function spendingFold(from?: SessionState): (commit: Commit) => readonly SpentRequest[] {
  const { pending = [], turn } = from ?? {};
  let origin: Address = from?.origin ?? { channel: "", chat: "" };
  let reader: Payer = {
    ...(from?.audience !== undefined && { audience: from.audience }),
    ...(turn?.speaker !== undefined && { speaker: turn.speaker }),
  };
  /** Of a group: whose word each waiting message is. */
  const speakers = new Map(
    pending.flatMap(({ message: { id }, speaker }) => (speaker ? [[id, speaker] as const] : [])),
  );
  let copied = from?.copied ?? 0;
  let requested: ModelRef | undefined = from?.frozenFor;
  let unasked = from?.unasked === true;
  let agent = from?.bound?.agent;
  /** Waiting messages that are not a person's. */
  const waiting = new Set(pending.flatMap(({ message }) => (message.from.kind === "person" ? [] : [message.id])));
  return ({ seq, at, records }) => {
    const spent: SpentRequest[] = [];
    for (const record of records) {
      if (record.type === "model.requested") requested = record.model;
      if (record.type === "message.received" && record.message.from.kind !== "person") waiting.add(record.message.id);
      if (record.type === "message.received" && record.speaker !== undefined)
        speakers.set(record.message.id, record.speaker);
      if (record.type === "turn.started") {
        unasked = record.message !== undefined && waiting.delete(record.message);
        const speaker = speakers.get(record.message ?? "");
        reader = { ...reader, ...(speaker !== undefined && { speaker }) };
      }
      if (record.type === "turn.ended") reader = reader.audience === undefined ? {} : { audience: reader.audience };
      if (record.type === "session.opened") [origin, copied] = [record.origin, record.forked?.commits ?? 0];
      if (record.type === "audience.set") reader = { audience: record.audience };
      if (record.type === "agent.bound") ({ agent } = record);
      const usage = seq > copied ? usageOf(record) : undefined;
      if (usage === undefined) continue;
      const model = modelOf(record, requested);
      const purpose = purposeOf(record);
      const speaker = speakerIn(record, speakers) ?? reader.speaker;
      const payer: Payer = { ...reader, ...(speaker !== undefined && { speaker }) };
      const guest = guestOf({ ...payer, origin });
      const person = personOf(payer);
      spent.push({
        at,
        source: origin.channel,
        ...(model !== undefined && { model }),
        purpose,
        ...(isUnattended(purpose, unasked) && { unattended: true }),
        ...(guest !== undefined && { guest }),
        ...(person !== undefined && { person }),
        ...(agent !== undefined && { agent }),
        usage,
      });
    }
    return spent;
  };
}

/** What says who pays: who reads, and in a group who opened the turn, or spoke the note that is written down or answered. */
interface Payer {
  readonly audience?: Audience;
  readonly turn?: { readonly speaker?: Audience };
  readonly speaker?: Audience;
}

function payerOf({ audience, turn, speaker = turn?.speaker }: Payer): Audience | undefined {
  return audience !== undefined && isGroup(audience) ? speaker : audience;
}

/** For whom something is spent beside the turns: before they begin, and after they end. */
function speakerIn(record: JournalRecord, speakers: ReadonlyMap<string, Audience>): Audience | undefined {
  if (record.type === "voice.transcribed") return speakers.get(record.message);
  return record.type === "usage.counted" ? record.speaker : undefined;
}

/** In which chat something is spent for a guest; undefined where it is not. */
export function guestOf(state: Payer & Pick<SessionState, "origin">): string | undefined {
  return payerOf(state) === "guest" ? chatOf(state.origin) : undefined;
}

/** For which person beside the owner. */
export function personOf(reader: Payer): PersonId | undefined {
  const payer = payerOf(reader);
  return payer !== undefined && isPerson(payer) ? payer : undefined;
}

function chatOf({ channel, chat }: Address): string {
  return `${channel}:${chat}`;
}

/** Where a request of a session is counted. */
export function placesOf(state: SessionState, purpose: string): Places {
  const guest = guestOf(state);
  const person = personOf(state);
  return {
    source: state.origin.channel,
    ...(isUnattended(purpose, state.unasked === true) && { unattended: true }),
    ...(guest !== undefined && { guest }),
    ...(person !== undefined && { person }),
    ...(state.bound !== undefined && { agent: state.bound.agent }),
  };
}

/** Beside the conversations, with nobody waiting for them; a recording and a preview are a person's. */
const NOBODYS: ReadonlySet<string> = new Set(["heartbeat", "greeting"]);
const PERSONS: ReadonlySet<string> = new Set(["transcription", "speech", "persona"]);

/** Whether nobody attends a request. @param unasked Of the last turn of its session: no person opened it. */
export function isUnattended(purpose: string, unasked: boolean): boolean {
  return NOBODYS.has(purpose) || (unasked && !PERSONS.has(purpose));
}

const QUARTER_MS = 900_000;

/** The same with what belongs to one quarter of an hour put together: every zone's days and hours begin with one. */
export function perQuarter(spending: readonly SpentRequest[]): readonly SpentRequest[] {
  const keyOf = ({ at, usage, requests: _requests, ...rest }: SpentRequest): string =>
    JSON.stringify([Math.floor(at / QUARTER_MS), rest, usage.costUsd === undefined]);
  return [...Map.groupBy(spending, keyOf).values()].flatMap(([first, ...more]) =>
    first === undefined
      ? []
      : [
          {
            ...first,
            usage: more.reduce((sum, { usage }) => addUsage(sum, usage), first.usage),
            requests: more.reduce((sum, { requests = 1 }) => sum + requests, first.requests ?? 1),
          },
        ],
  );
}

function modelOf(record: JournalRecord, requested: ModelRef | undefined): ModelRef | undefined {
  if (record.type === "model.responded") return record.message.model;
  if (record.type === "usage.counted") return record.model;
  if (record.type === "voice.transcribed") return record.model;
  return record.type === "model.failed" ? requested : undefined;
}

function purposeOf(record: JournalRecord): string {
  if (record.type === "usage.counted") return record.purpose;
  if (record.type === "voice.transcribed") return "transcription";
  if (record.type === "history.compacted") return "compaction";
  return record.type === "memory.answered" ? "memory" : "turn";
}

/** Whether a turn ended because somebody beside the owner has used up what they may of a day, and whether they were told. @returns undefined: it is no such end. */
export function shareOf({ details }: Pick<ErrorInfo, "details">): "told" | "used up" | undefined {
  const share = typeof details === "object" && details !== null && "share" in details ? details["share"] : undefined;
  return share === "told" || share === "used up" ? share : undefined;
}
