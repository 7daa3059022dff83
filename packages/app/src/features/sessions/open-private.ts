/** Another person's conversation, opened by who owns the machine: with a proof, on record, and they are told. */
import type { Summary } from "@margay/core/internal";
import { requireOwner } from "../../host/api/proof.ts";
import type { Call, Reply } from "../../host/api/route.ts";
import { words } from "../../host/api/words.ts";
import { detailReply } from "../../host/sessions/detail-reply.ts";
import { openFor, personsOf } from "../../host/sessions/privacy.ts";
import { TEXT } from "../../host/sessions/api-texts.ts";

/** @throws Problem `auth.fresh-required`, `auth.scope`. */
export async function openPrivate(
  call: Pick<Call<unknown, unknown>, "services" | "credential" | "language">,
  session: Summary,
): Promise<Reply> {
  const { services, credential } = call;
  const { app } = services;
  await openFor(call, session, async () => {
    requireOwner(call, TEXT.readPrivate);
    // On record first: what cannot be written down is not opened.
    const person = personsOf(session).join(", ");
    app.audit.record("conversation.opened", { session: session.id, person, by: credential?.name ?? "" });
    await app.audit.flush();
    await app.agent.bus.send(session.key, {
      reply: app.ids.next("opened"),
      to: session.origin,
      kind: "message",
      parts: [{ type: "text", text: words(app.language, TEXT.opened) }],
    });
  });
  return detailReply(call, session);
}
