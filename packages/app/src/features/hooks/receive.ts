/** `POST /hooks/{name}`: a signed call from a program becomes a message, once; it is data, and nobody attends it. */
import { createHash } from "node:crypto";
import type { HookConfig } from "../../config/config.ts";
import { mayWork } from "../../host/agents.ts";
import { reachesNobody } from "../../host/targets.ts";
import type { Call, Reply } from "../../host/api/route.ts";
import type { Services } from "../../host/api/services.ts";
import { budgetWait } from "./budget.ts";
import { createDeliveries } from "./deliveries.ts";
import { chatsFor, hasOwn, namedSession, readerOf } from "./readers.ts";
import { fitsFilter } from "./filter.ts";
import { renderHook, type HookCall } from "./template.ts";
import { verifyHook } from "./verify.ts";

const FAILURES_PER_MINUTE = 30;
/** Unknown names share one count: a stranger can think of many. */
const UNKNOWN = "hook-failed:";

type HookRequest = Pick<Call<unknown, Uint8Array>, "services" | "headers" | "body" | "address" | "t">;

export async function receiveHook(name: string, { services, headers, body, address, t }: HookRequest): Promise<Reply> {
  const { app, once } = services;
  const { hooks } = app.inside.loaded().config.gateway;
  const hook = Object.hasOwn(hooks, name) ? hooks[name] : undefined;
  const verified = verifyHook(hook, { headers, body, now: app.clock.now() });
  const deliveries = once(createDeliveries);
  const note = { at: app.clock.now(), bytes: body.length };
  if (hook === undefined || !verified.ok) {
    const reason = verified.ok ? "unknown hook" : verified.reason;
    const reply = refuseCall({ name, isKnown: hook !== undefined, reason }, { services, address });
    if (hook !== undefined && reply.status === 401) deliveries.add(name, { ...note, status: "refused", reason });
    return reply;
  }
  const { delivery } = verified;
  // The emergency stop holds for programs too; they send again.
  if (app.inside.stopFlag.on) return { status: 503, headers: { "retry-after": "300" } };
  const call = callOf(body, headers);
  if (!fitsFilter(hook.filter, call)) {
    deliveries.add(name, { ...note, id: delivery, status: "ignored", reason: "filter" });
    return { status: 200, body: { ignored: true } };
  }
  const readers = { audienceAt: app.inside.audienceAt, sessions: app.agent.sessions };
  const audience = await readerOf(hook, readers);
  const isForNobody = hook.deliver.length > 0 && (await chatsFor(audience, hook, readers)).length === 0;
  if (isForNobody || reachesNobody(hook.deliver, app.inside.loaded().config, t, app.inside.loaded().places.home)) {
    const session = `hook:${name}`;
    await app.inside.notifications.add({ id: `${session}:${delivery}`, kind: "undeliverable", session });
    deliveries.add(name, { ...note, id: delivery, status: "refused", reason: "deliver" });
    return { status: 503, headers: { "retry-after": "300" } };
  }
  // Its own manner and nothing else: without it the call would have all that its readers have.
  if (hasOwn(hook) && !mayWork(hook.agent, audience, app.inside.loaded().config)) {
    deliveries.add(name, { ...note, id: delivery, status: "refused", reason: "agent" });
    return { status: 503, headers: { "retry-after": "300" } };
  }
  const waitMs = await budgetWait(name, hook.budgetUsdPerDay, app);
  if (waitMs !== undefined) {
    deliveries.add(name, { ...note, id: delivery, status: "refused", reason: "budget" });
    return { status: 429, headers: { "retry-after": String(Math.max(1, Math.ceil(waitMs / 1000))) } };
  }
  const sessionKey = await sessionOf(name, hook, delivery, services);
  const accepted = await app.agent.bus.accept({
    key: `hook:${name}:${delivery}`,
    fromPlatform: true,
    origin: { channel: "hook", chat: name },
    from: { id: `hook:${name}`, name, kind: "schedule" },
    parts: [{ type: "text", text: renderHook(name, hook.prompt, call) }],
    sessionKey,
    attended: false,
    mode: "queue", // it joins nobody's turn
    ...(hasOwn(hook) && { audience, agent: hook.agent ?? null }),
    // Whom it is made for travels with the answer: others may read a chat by then.
    replyTo: { channel: "hook", chat: name, thread: audience },
    marks: { integrity: "untrusted" }, // the signature says who sent it, not who wrote it
  });
  switch (accepted.status) {
    case "accepted":
      deliveries.add(name, { ...note, id: delivery, status: "accepted", session: accepted.session });
      return { status: 202, body: { accepted: true } };
    case "duplicate":
    case "ignored": // only in groups, and a hook is none
      deliveries.add(name, { ...note, id: delivery, status: "duplicate" });
      return { status: 200, body: { duplicate: true } };
    case "refused":
      deliveries.add(name, { ...note, id: delivery, status: "refused", reason: accepted.reason });
      return { status: 429, headers: { "retry-after": "30" } };
  }
}

interface RefusedCall {
  readonly name: string;
  readonly isKnown: boolean;
  readonly reason: string;
}

/** Who has no proof is told nothing; the owner finds it in the audit log. */
export function refuseCall(
  { name, isKnown, reason }: RefusedCall,
  { services: { app, rates, metrics }, address }: Pick<HookRequest, "services" | "address">,
): Reply {
  metrics.add("margay_auth_failures_total", { kind: "hook" });
  if (!rates.within(`${UNKNOWN}${isKnown ? name : ""}`, FAILURES_PER_MINUTE))
    return { status: 429, headers: { "retry-after": "60" } };
  app.audit.record("hook.refused", { hook: name.slice(0, 64), address, reason });
  return { status: 401 };
}

export function callOf(body: Uint8Array, headers: HookCall["headers"]): HookCall {
  const text = new TextDecoder().decode(body);
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    json = undefined; // forms and plain text are bodies too
  }
  return { body: text, json, headers };
}

/** A session of its own, one for each delivery, or one there is, by key or id. */
async function sessionOf(name: string, { session }: HookConfig, delivery: string, { app }: Services): Promise<string> {
  if (session === "own") return `hook:${name}`;
  // The same delivery finds its own session again: that is where it is known.
  if (session === "fresh") return `hook:${name}:${createHash("sha256").update(delivery).digest("hex").slice(0, 24)}`;
  return namedSession(session, app.agent.sessions);
}
