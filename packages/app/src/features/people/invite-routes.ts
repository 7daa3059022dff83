/** Somebody is asked in: a code for a day, as links where the platform has them. */
import { announce } from "../../host/live/announce.ts";
import { Problem } from "../../host/api/problem.ts";
import { qrPath } from "../../host/api/qr.ts";
import { route, type Route } from "../../host/api/route.ts";
import { roleIn } from "../../host/people.ts";
import { openInvitations } from "./invitations.ts";
import { linksFor } from "./invite.ts";
import { InvitationSchema } from "./schema.ts";

export const INVITE_ROUTES: readonly Route[] = [
  route({
    id: "invitePerson",
    method: "POST",
    path: "/people/{person}/invitation",
    scope: "owner",
    summary:
      "A code for a day: who sends it in a private chat is that person there. Shown once; the one before of that person is void.",
    response: InvitationSchema,
    errors: ["request.not-found", "request.invalid"],
    handle: async (call) => {
      const { services, params, credential, t } = call;
      const { app } = services;
      const { config, places } = app.inside.loaded();
      const person = params["person"] ?? "";
      const role = Object.hasOwn(config.people, person) ? roleIn(config, person) : undefined;
      if (role === undefined)
        throw new Problem("request.not-found", {
          detail: t("people.unknown", { name: person.slice(0, 64), known: Object.keys(config.people).join(", ") }),
        });
      if (role !== "member") throw new Problem("request.invalid", { detail: t("people.invite.operator") });
      const { code, expiresAt } = await openInvitations(places.docs, app.clock).make(person);
      app.audit.record("person.invited", { person, by: credential?.name ?? "unknown" });
      announce(services, "channels", "people");
      const links = linksFor(services, code).map(async (link) => ({ ...link, ...(await qrPath(link.url)) }));
      return { body: { code, expiresAt, links: await Promise.all(links) } };
    },
  }),
];
