/** A question to whom something belongs goes into their journal and their chat at once, or the answer that they gave for always. */
import type { AgentSettings } from "../contract/agent-options.ts";
import type { Clock, Millis } from "../contract/base.ts";
import type { Release, Share } from "../contract/grant.ts";
import type { Address } from "../contract/message.ts";
import type { ReplyQuestion } from "../contract/record.ts";
import type { PeopleOptions } from "../contract/room.ts";
import type { AskedRelease, Session } from "../contract/session.ts";
import { readersTo } from "../lib/audience.ts";
import { canonicalJson } from "../lib/canonical-json.ts";
import { isUnanswered } from "../lib/approval-choices.ts";
import { codeOf } from "./release-code.ts";
import { releaseText } from "./release-text.ts";

export interface PutOptions {
  readonly people: Pick<PeopleOptions, "persons" | "shares" | "titleOf">;
  /** Of a question in that chat. Undefined: its platform has none. */
  readonly buttons: (
    to: Address,
    question: Omit<ReplyQuestion, "actions"> & { readonly lasting?: boolean },
  ) => ReplyQuestion | undefined;
  readonly hash: (text: string) => string;
  readonly language: () => AgentSettings["language"];
  readonly clock: Clock;
}

/** For so long a question stays open, and what was asked is not asked again. */
const RELEASE_MS: Millis = 24 * 3_600_000;
/** Of one conversation, in one chat: what more it asks stands on the pages alone. */
const MAX_CALLS = 5;

/** @returns `shared`: they let it go for always, and nothing is asked; `kept`: too much of that conversation waits. */
export async function putRelease(
  { people, hash, clock, language, buttons }: PutOptions,
  session: Session,
  chat: Address,
  { bound: given, ...wanted }: Omit<Release, "code" | "hash" | "expiresAt"> & { readonly bound?: string },
): Promise<"asked" | "shared" | "kept"> {
  const { releases = [] } = session.state;
  const { id, of, parts, session: target, reader, question = "", asks } = wanted;
  const bound = given ?? hash(canonicalJson({ of, parts, session: target, reader, question }));
  const now = clock.now();
  const isShared = isSharedBy(people.shares?.list(of), wanted);
  const isOver = (each: AskedRelease): boolean => each.expiresAt <= now || (isShared && each.verdict === "allow");
  if (releases.some((each) => each.id === id || (each.hash === bound && !isOver(each)))) return "asked";
  const isOfThem = (each: AskedRelease): boolean => each.asks !== undefined && each.session === target;
  if (asks !== undefined && releases.filter((each) => isUnanswered(each) && isOfThem(each)).length >= MAX_CALLS)
    return "kept";
  const release: Release = { ...wanted, code: codeOf(bound, releases), hash: bound, expiresAt: now + RELEASE_MS };
  const { code: call, expiresAt, lasting } = release;
  if (isShared) {
    const answer = { verdict: "allow", by: of, remember: "always" } as const;
    await session.commit(
      { type: "release.asked", ...release },
      { type: "release.answered", release: id, hash: bound, ...answer },
    );
    return "shared";
  }
  const shown = buttons(chat, { call, hash: bound, expiresAt, lasting: lasting !== undefined });
  // Nothing was found: there is nothing that a button could send.
  const actions = shown?.actions.filter(({ verdict }) => parts.length > 0 || verdict === "deny") ?? [];
  await session.commit(
    { type: "release.asked", ...release },
    {
      type: "reply.queued",
      reply: `${id}:release:${of}`,
      to: chat,
      kind: "approval",
      parts: [{ type: "text", text: releaseText(release, language(), people) }],
      marks: { readers: [readersTo([of], of)] }, // for nobody else who may read there by the time it leaves
      ...(shown !== undefined && { question: { ...shown, actions } }),
    },
  );
  return "asked";
}

/** All that it was made of, by what stands there now. */
function isSharedBy(
  shares: readonly Share[] = [],
  { lasting = [], reader }: Pick<Release, "lasting" | "reader">,
): boolean {
  return (
    lasting.length > 0 && lasting.every((hash) => shares.some((each) => each.hash === hash && each.reader === reader))
  );
}
