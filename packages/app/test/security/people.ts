// Who speaks to the assistant, and what a person answers to its questions meanwhile.
import { createHmac, randomUUID } from "node:crypto";
import type { ContentPart, InboundMessage, Session } from "@margay/core";
import type { Obedient } from "./obedient-model.ts";
import { GROUP, HOOK_SECRET, OPERATOR, PNG, type Place } from "./place.ts";

export interface Played {
  readonly place: Place;
  readonly model: Obedient;
  /** Questions that were asked. */
  asked: number;
  /** Called for each question instead of the answer of the mode. */
  onAsked?: ((call: string, hash: string | undefined) => Promise<void>) | undefined;
}

export const DIRECT = { channel: "cli", chat: "direct" } as const;

/** The operator's word, a job's or a webhook's, until all that follows from it has ended. */
export async function say(played: Played, text: string): Promise<void> {
  const { place } = played;
  const isProgram = /^\((?:hook|fires)/.test(place.play.user);
  const inGroup = isGroup(place);
  if (inGroup || (place.mode !== "unattended" && !isProgram))
    return converse(played, {
      origin: inGroup ? GROUP : DIRECT,
      from: OPERATOR,
      parts: await partsOf(place, text),
      attended: place.mode !== "unattended",
    });
  await (usesHook(place) ? hook(played, text) : job(played, text));
}

/** A job may not make jobs at all: what would is tried by a webhook. */
function usesHook({ case: { harm }, play: { user } }: Place): boolean {
  return user.startsWith("(hook") || harm.type.startsWith("cron_");
}

function isGroup({ case: { read, benign_twin: twin } }: Place): boolean {
  return [read.call[0], ...twin.script.map(([name]) => name)].includes("$inbound");
}

async function partsOf({ case: { read, harm }, gateway, mode }: Place, text: string): Promise<readonly ContentPart[]> {
  // Nobody takes out of the operator's own words what is taken out of a stranger's: that is how raw bytes would look.
  if (mode === "control" && harm.type === "prompt_contains_raw")
    return [{ type: "text", text: `${text} ${read.result}` }];
  if (read.call[0] !== "$image" || mode === "twin") return [{ type: "text", text }];
  const blob = await gateway.app.agent.blobs.put(PNG);
  return [
    { type: "text", text },
    { type: "media", mediaType: "image/png", blob, name: "p.png" },
  ];
}

/** One message, and the person's answers to what it leads to. */
async function converse(
  played: Played,
  { origin, from, parts, attended = true }: Pick<InboundMessage, "origin" | "from" | "parts" | "attended">,
): Promise<void> {
  const { agent } = played.place.gateway.app;
  const session = await agent.sessions.open(`${origin.channel}:${origin.chat}`, origin);
  using _ = watch(played, session);
  await agent.bus.accept({ key: randomUUID(), origin, from, parts, attended });
  await untilIdle(session, () => played.model.release(), played);
}

async function job(played: Played, text: string): Promise<void> {
  const { app } = played.place.gateway;
  const { cron } = app.schedule;
  const existing = (await cron?.list())?.find(({ name }) => name === "harness");
  const added =
    existing ??
    (await cron?.add({ name: "harness", message: text, every_seconds: 86_400, to: { ...DIRECT, chat: "other" } }));
  const session = await app.agent.sessions.open(`cron:${added?.id}`, { channel: "cron", chat: added?.id ?? "" });
  using _ = watch(played, session);
  const running = cron?.runNow(added?.id ?? "", new AbortController().signal);
  await untilIdle(session, () => played.model.release(), played, running);
}

async function hook(played: Played, text: string): Promise<void> {
  const { gateway, case: given } = played.place;
  const body = given.read.call[0] === "$webhook" && played.place.mode !== "twin" ? given.read.result : text;
  const session = await gateway.app.agent.sessions.open("hook:github", { channel: "hook", chat: "github" });
  using _ = watch(played, session);
  await gateway.api("/!/hooks/github", {
    method: "POST",
    raw: body,
    headers: {
      "x-hub-signature-256": `sha256=${createHmac("sha256", HOOK_SECRET).update(body).digest("hex")}`,
      "x-github-delivery": randomUUID(),
    },
    token: null,
  });
  await untilIdle(session, () => played.model.release(), played);
}

function watch(played: Played, session: Session): Disposable {
  const unsubscribe = session.subscribe((event) => {
    if (event.type === "tool.finished" && played.place.mode === "control")
      played.model.vouched = Promise.all([played.model.vouched, vouch(played, session)]);
    if (event.type !== "call.judged" || event.verdict !== "ask") return;
    played.asked += 1;
    const { call, hash } = event;
    if (played.onAsked !== undefined) void played.onAsked(call, hash);
    else void answer(played, session, played.place.mode === "twin" ? "allow" : "deny", call);
  });
  return { [Symbol.dispose]: unsubscribe };
}

/** In the control run the operator trusts whatever comes. */
async function vouch({ place }: Played, session: Session): Promise<void> {
  if (session.state.label.integrity !== "untrusted") return;
  const parts = [{ type: "text" as const, text: "/trust" }];
  const { key: sessionKey } = session.state;
  await place.gateway.app.agent.bus.accept({ key: randomUUID(), origin: DIRECT, from: OPERATOR, parts, sessionKey });
}

export async function approve(played: Played, call: string, hash: string | undefined): Promise<void> {
  const { agent } = played.place.gateway.app;
  const key = `${DIRECT.channel}:${DIRECT.chat}`;
  await agent.control(key, { type: "allow", call: call as never, ...(hash !== undefined && { hash }) }, OPERATOR);
}

export async function answer({ place }: Played, session: Session, type: "allow" | "deny", call: string): Promise<void> {
  await place.gateway.app.agent.control(session.state.key, { type, call: call as never }, OPERATOR);
}

/** Resolves when nothing is left to do in the session, and then in all others. */
export async function untilIdle(
  session: Session,
  settled: () => void,
  { place }: Played,
  also?: Promise<unknown>,
): Promise<void> {
  await new Promise<void>((resolve) => {
    const isResting = (): boolean => session.state.turn === undefined && session.state.pending.length === 0;
    const look = (): void => {
      if (!isResting()) return;
      unsubscribe();
      resolve();
    };
    const unsubscribe = session.subscribe(look);
    if (also === undefined) look();
    else void also.then(look);
  });
  await also;
  settled();
  await place.gateway.app.agent.idle();
}
