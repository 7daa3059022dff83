/** What the owner lets others have without being asked. Of others nobody is shown any. */
import { visible } from "@margay/core/internal";
import { Problem } from "../../host/api/problem.ts";
import { route, type Route } from "../../host/api/route.ts";
import { announce } from "../../host/live/announce.ts";
import { OWNER } from "../../host/people.ts";
import { SharesSchema } from "./schema.ts";

export const SHARE_ROUTES: readonly Route[] = [
  route({
    id: "listShares",
    method: "GET",
    path: "/shares",
    scope: "read",
    summary:
      "Lines and files of the owner's that somebody has answers from without a question, as long as they stand as they were.",
    response: SharesSchema,
    handle: ({ services: { app } }) => {
      const { people } = app.inside.loaded().config;
      return {
        body: app.inside.shares.list(OWNER).map(({ id, shown, reader, at }) => ({
          ...{ id, shown: visible(shown), reader: visible(people[reader]?.name ?? reader), at },
        })),
      };
    },
  }),
  route({
    id: "deleteShare",
    method: "DELETE",
    path: "/shares/{id}",
    scope: "admin",
    summary: "From now on the owner is asked again before that is told.",
    status: 204,
    errors: ["request.not-found"],
    handle: async ({ services, params, t }) => {
      const ended = await services.app.inside.shares.remove(OWNER, params["id"] ?? "");
      if (ended === undefined) throw new Problem("request.not-found", { detail: t("people.noShare") });
      announce(services, "channels", "shares");
      return { status: 204 };
    },
  }),
];
