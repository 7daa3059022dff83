/** Who has a room here beside the owner. Changed by `margay people` and by the settings. */
import { visible } from "@margay/core/internal";
import { route, type Route } from "../../host/api/route.ts";
import { OWNER } from "../../host/people.ts";
import { PeopleSchema } from "./schema.ts";

export const PEOPLE_ROUTES: readonly Route[] = [
  route({
    id: "listPeople",
    method: "GET",
    path: "/people",
    scope: "read",
    summary: "Persons beside the owner, and who they are on chat channels.",
    response: PeopleSchema,
    handle: ({ services }) => ({
      body: Object.entries(services.app.inside.loaded().config.people)
        .filter(([person]) => person !== OWNER)
        .map(([person, { name, role, ids, tokensPerDay }]) => ({
          person,
          ...(name !== undefined && { name: visible(name) }),
          role,
          ids: [...ids],
          ...(tokensPerDay !== undefined && { tokensPerDay }),
        })),
    }),
  }),
];
