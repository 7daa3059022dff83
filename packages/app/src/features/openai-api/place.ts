/** Which session a request belongs to: the named one, an unnamed one that has said the same, or a new one. */
import { type Address, type Sender } from "@margay/core";
import { sha256, type Ids } from "@margay/core/internal";
import type { App } from "../../app.ts";
import { programId } from "../../host/operator.ts";
import { sessionKey } from "../../host/sessions/token-budget.ts";
import { parseCallId } from "./client-tools.ts";
import { refusal } from "./errors.ts";
import { fingerprintOf, type Conversation } from "./messages.ts";
import type { ApiIndex } from "./session-index.ts";

export interface Place {
  readonly key: string;
  readonly name: string;
  readonly named: boolean;
  readonly space: string;
  /** Header `Margay-History`. `imported`: the earlier messages have to be written into it first. */
  readonly history: "continued" | "ignored" | "matched" | "imported" | "new";
}

export interface Wanted {
  readonly token: string;
  /** As given by header or body; checked here. */
  readonly name: string | undefined;
  readonly user: string | undefined;
  readonly conversation: Conversation;
}

const NAME = /^[A-Za-z0-9._-]{1,64}$/;
const MAX_USER_CHARS = 256;

export function originOf(token: string, { name }: Place): Address {
  return { channel: "api", chat: `${token}:${name}` };
}

/** Never the operator. */
export function senderOf(token: string): Sender {
  return { id: programId(token), kind: "person" };
}

/** @throws Problem `invalid_session`, `invalid_user`. */
export async function findPlace(wanted: Wanted, app: App, index: ApiIndex): Promise<Place> {
  const { token, name, user, conversation } = wanted;
  const { earlier, results } = conversation;
  const open =
    results.length === 0 ? undefined : index.waitingFor(token, parseCallId(results[0]?.id ?? "")?.turn ?? "");
  if (open !== undefined && (name === undefined || name === open.name)) {
    const named = open.expiresAt === undefined;
    return { key: open.key, name: open.name, named, space: open.space, history: named ? "continued" : "matched" };
  }
  if (name !== undefined) {
    if (!NAME.test(name))
      throw refusal(
        "invalid_session",
        "session_id",
        "The session name must be 1–64 of A–Z, a–z, 0–9, dot, dash, underscore.",
      );
    const key = sessionKey(token, name);
    const place = { key, name, named: true, space: "" };
    if (earlier.length === 0) return { ...place, history: "continued" };
    const session = await app.agent.sessions.find(key);
    if (session === undefined || (session.state.messages.length === 0 && session.state.rows === 0))
      return { ...place, history: "imported" };
    const same = index.session(key)?.fingerprint === fingerprintOf(earlier);
    return { ...place, history: same ? "continued" : "ignored" };
  }
  if (user !== undefined && user.length > MAX_USER_CHARS)
    throw refusal("invalid_user", "user", `user is longer than ${MAX_USER_CHARS} characters.`);
  const space = user === undefined || user === "" ? "" : sha256(user).slice(0, 32);
  const known =
    earlier.length > 0
      ? index.matching(token, space, fingerprintOf(earlier))
      : space !== "" && app.inside.loaded().config.gateway.api.userSession === "continue"
        ? index.latest(token, space)
        : undefined;
  if (known !== undefined) {
    // At once: until the answer is known, nobody else continues from here.
    index.remember({ ...known, fingerprint: "" });
    return { key: known.key, name: known.name, named: false, space, history: "matched" };
  }
  const fresh = freshName(app.ids);
  const history = earlier.length > 0 ? "imported" : "new";
  return { key: sessionKey(token, fresh), name: fresh, named: false, space, history };
}

/** It can be given back as a name: then it is the client's, like any other. */
export function freshName(ids: Ids): string {
  return ids.next("auto");
}
