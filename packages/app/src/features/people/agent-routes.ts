/** Agents beside the home itself, and what they are bound to. Changed by the settings. */
import type { z } from "zod";
import { route, type Route } from "../../host/api/route.ts";
import type { Config } from "../../config/config.ts";
import { knownGroups, openGroups, openSeenGroups } from "../../host/groups.ts";
import { settingsHash } from "../../host/settings/view.ts";
import { AgentsSchema } from "./schema.ts";

type Agent = z.infer<typeof AgentsSchema>["agents"][number];

export const AGENT_ROUTES: readonly Route[] = [
  route({
    id: "listAgents",
    method: "GET",
    path: "/agents",
    scope: "read",
    summary: "Agents beside the home itself, and the bindings that say where each works.",
    response: AgentsSchema,
    handle: ({ services }) => {
      const loaded = services.app.inside.loaded();
      const { config, places } = loaded;
      const { agents, bindings, people, channelsById } = config;
      const here = openGroups({ config: () => config, places });
      const seen = openSeenGroups(places);
      return {
        body: {
          hash: settingsHash(loaded),
          agents: Object.entries(agents).map(([name, agent]) => agentView(name, agent)),
          bindings: bindings.map((one) => ({ ...one })),
          people: Object.entries(people).flatMap(([person, { agent }]) =>
            agent === undefined ? [] : [{ person, agent }],
          ),
          groups: Object.keys(channelsById).flatMap((channel) =>
            knownGroups(channel, config, seen, here).map(({ chat, title }) => ({
              channel,
              chat,
              ...(title !== undefined && { title }),
            })),
          ),
        },
      };
    },
  }),
];

function agentView(name: string, agent: Config["agents"][string]): Agent {
  const { persona, model, tools, skills, budget, workspace, for: readers } = agent;
  return {
    name,
    ...(persona !== undefined && { persona }),
    ...(model !== undefined && { model }),
    ...(tools !== undefined && { tools: [...tools] }),
    ...(skills !== undefined && { skills: [...skills] }),
    ...(budget?.tokensPerDay !== undefined && { tokensPerDay: budget.tokensPerDay }),
    ...(workspace !== undefined && { own: true }),
    ...(readers !== undefined && { for: [...readers] }),
  };
}
