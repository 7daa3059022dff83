/** What `margay sessions fork|delete|import|set` ask for. */
import type { Address } from "@margay/core";
import { isTemporary, parseTranscript, type Seq, type SessionId } from "@margay/core/internal";
import { z } from "zod";
import { operation } from "../../host/control/operation.ts";
import { eventsOf } from "../../host/sessions/access.ts";
import { familyOf } from "../../host/sessions/family.ts";
import { remarked, type Mark } from "../../host/sessions/marks.ts";
import { endLeftOver, endTemporary, forgetUnused, purge } from "../../host/sessions/trash.ts";
import { FolderName, TitleName } from "../../protocol/sessions.ts";

export const SESSION_OPERATIONS = {
  "sessions.fork": operation(
    z.strictObject({ from: z.string(), key: z.string(), seq: z.int().optional() }),
    async ({ from, key, seq }, { app }): Promise<{ readonly rows: number }> => {
      const { state } = await app.agent.sessions.fork(from, key, seq as Seq | undefined); // checked by the store: a commit that is not there copies all
      return { rows: state.rows };
    },
  ),
  /** A conversation, those it comes from and all that came of them. */
  "sessions.family": operation(z.strictObject({ key: z.string() }), async ({ key }, { services }) =>
    (await familyOf(services, key)).map(({ id, key: one, title, from }) => ({
      ...{ id, key: one, title },
      ...(from !== undefined && { from }),
    })),
  ),
  "sessions.remove": operation(
    z.strictObject({ id: z.string(), key: z.string() }),
    async ({ id, key }, { app, services, alone }): Promise<boolean> => {
      const { sessions } = app.agent;
      if (alone && !isTemporary(key)) return sessions.remove(key);
      if ((await sessions.find(key)) === undefined) return false;
      if (isTemporary(key)) return endTemporary(services, { id: id as SessionId, key }).then(() => true);
      await purge(services, { id: id as SessionId, key }); // of the archive: what runs in it ends, and pages forget it
      return true;
    },
  ),
  /** What a list says of it; `null` takes it away. */
  "sessions.set": operation(
    z.strictObject({
      id: z.string(),
      title: TitleName.nullable().optional(),
      folder: FolderName.nullable().optional(),
    }),
    async ({ id, title, folder }, { services }): Promise<Pick<Mark, "title" | "folder">> => {
      const { marks, index } = eventsOf(services);
      const session = id as SessionId; // of the archive
      await marks.change(session, (mark) => remarked(mark, { title, folder }));
      index.touch(session);
      const mark = marks.of(session);
      return {
        ...(mark.title !== undefined && { title: mark.title }),
        ...(mark.folder !== undefined && { folder: mark.folder }),
      };
    },
  ),
  /** A temporary conversation. */
  "sessions.end": operation(
    z.strictObject({ key: z.string() }),
    async ({ key }, { app, services }): Promise<boolean> => {
      const session = isTemporary(key) ? await app.agent.sessions.find(key) : undefined;
      if (session === undefined) return false;
      await endTemporary(services, { id: session.state.id, key });
      return true;
    },
  ),
  /** Temporary ones that an earlier process did not end. */
  "sessions.endLeftOver": operation(z.strictObject({}), (_none, { services }): Promise<void> => endLeftOver(services)),
  /** A conversation that only began because a chat must begin somewhere. */
  "sessions.forgetUnused": operation(z.strictObject({ key: z.string() }), ({ key }, { services }): Promise<boolean> =>
    forgetUnused(services, key),
  ),
  /** `not-empty` in place of what was imported. @throws RuntimeError `session.import`. */
  "sessions.import": operation(
    z.strictObject({ text: z.string(), key: z.string().optional(), fallback: z.string() }),
    async ({ text, key: given, fallback }, { app }) => {
      const { key: own, ...imported } = parseTranscript(text, { timeZone: app.loaded.timeZone });
      const key = given ?? own ?? fallback;
      const session = await app.agent.sessions.open(key, addressOf(key));
      if (session.state.rows > 0 || session.state.pending.length > 0) return { key, state: "not-empty" } as const;
      const { messages, rows, consolidated, transcript, warnings } = imported;
      await session.commit({ type: "history.imported", messages, rows, consolidated, transcript });
      return { key, state: "imported", rows, consolidated, warnings } as const;
    },
  ),
} as const;

/** The chat that a key of the usual form `channel:chat` names. */
function addressOf(key: string): Address {
  const colon = key.indexOf(":");
  return colon < 0 ? { channel: "cli", chat: key } : { channel: key.slice(0, colon), chat: key.slice(colon + 1) };
}
