/** Everything about a session as an answer, with its ETag. */
import { tagOf } from "../api/etag.ts";
import type { Reply } from "../api/route.ts";
import { eventsOf, type Caller } from "./access.ts";
import { detailOf, type SessionDetail } from "./detail.ts";
import { isHidden } from "./privacy.ts";
import type { Summary } from "@margay/core/internal";

export async function detailReply(caller: Caller, session: Summary, more: object = {}): Promise<Reply> {
  const { app } = caller.services;
  const events = eventsOf(caller.services);
  const detail: SessionDetail = detailOf(
    app,
    events,
    session,
    await events.reader.view(session.id),
    isHidden(caller, session),
  );
  return { body: { ...detail, ...more }, headers: { etag: tagOf(detail.hash) } };
}
