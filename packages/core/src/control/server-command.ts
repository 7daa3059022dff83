/** `/mcp`: the servers, what they say of themselves, and an operator's yes or no to exactly what was shown. */
import type { CommandActions } from "./actions.ts";
import type { Sender } from "../contract/message.ts";
import type { ServerReview } from "../contract/server-review.ts";
import type { Session } from "../contract/session.ts";
import { serverTexts } from "./server-texts.ts";

/** Of the hash, to say which review is meant; what counts is the whole one, which is kept here. */
const CODE_CHARS = 8;

/** What each conversation was shown, by server: a yes is to that, whatever the server says by now. */
const shownReviews = new WeakMap<Session, ReadonlyMap<string, string>>();

/** For an operator. @param argument Undefined, or `approve|refuse NAME [CODE]`. */
export async function serverCommand(
  session: Session,
  by: Sender,
  argument: string | undefined,
  { servers, language }: Pick<CommandActions, "servers" | "language">,
): Promise<string> {
  const texts = serverTexts(language());
  const known = servers?.list() ?? [];
  if (servers === undefined || argument === undefined || known.length === 0) return texts.list(known);
  const [verb = "", name = "", code] = argument.split(/\s+/);
  if ((verb !== "approve" && verb !== "refuse") || name === "") return texts.usage;
  const shown = shownReviews.get(session)?.get(name);
  if (code !== undefined && shown?.startsWith(code) === true && code.length >= CODE_CHARS) {
    if (await servers[verb](name, shown, by.id)) return verb === "approve" ? texts.approved(name) : texts.refused(name);
    return texts.changed(name);
  }
  const review = await servers.look(name);
  if (review === "unknown") return texts.unknown(name);
  if (review === "silent") return texts.silent(name);
  if (review === undefined) return texts.nothing(name);
  keep(session, name, review);
  return texts.review(name, review, review.hash.slice(0, CODE_CHARS));
}

function keep(session: Session, name: string, { hash }: ServerReview): void {
  shownReviews.set(session, new Map(shownReviews.get(session)).set(name, hash));
}
