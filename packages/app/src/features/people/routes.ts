/** Who has a room here beside the owner. Changed by `margay people` and by the settings. */
import { visible } from "@margay/core/internal";
import { route, type Route } from "../../host/api/route.ts";
import { OWNER } from "../../host/people.ts";
import { explain } from "./explain.ts";
import { ExplainQuery, ExplanationSchema, PeopleSchema } from "./schema.ts";

export const PEOPLE_ROUTES: readonly Route[] = [
  route({
    id: "explainPerson",
    method: "GET",
    path: "/people/explain",
    scope: "read",
    summary: "What margay takes a sender for, and what becomes of their words in a group; asks no model.",
    query: ExplainQuery,
    response: ExplanationSchema,
    handle: ({ services, query, t }) => {
      const { channel, sender, group, addressed } = query;
      const { loaded, pairing } = services.app.inside;
      const { config, places } = loaded();
      const asked = { channel, sender, group, isNamed: addressed === "true" };
      const { speaker, gate, agent, texts } = explain(asked, { config, pairing, places }, t);
      return {
        body: {
          role: speaker?.role ?? "stranger",
          ...(speaker?.person !== undefined && { person: speaker.person }),
          ...(gate !== undefined && { gate }),
          ...(agent !== undefined && { agent: agent.agent }),
          texts: [...texts],
        },
      };
    },
  }),
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
