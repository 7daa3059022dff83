/** Groups of a channel: those of the settings, those where an operator wrote `/here`, and those from which something came. */
import { bindingOf, groupOf, MAIN } from "@margay/core/internal";
import type { z } from "zod";
import { bindingsOf } from "../../../host/agents.ts";
import { knownGroups, openGroups, openSeenGroups } from "../../../host/groups.ts";
import { Problem } from "../../../host/api/problem.ts";
import { route, type Route } from "../../../host/api/route.ts";
import type { Services } from "../../../host/api/services.ts";
import { told } from "../../../host/api/words.ts";
import { settingsHash } from "../../../host/settings/view.ts";
import { GroupsSchema } from "../schema.ts";
import { TEXT } from "../api-texts.ts";

type Groups = z.infer<typeof GroupsSchema>;

export const GROUP_ROUTES: readonly Route[] = [
  route({
    id: "listGroups",
    method: "GET",
    path: "/channels/{id}/groups",
    scope: "read",
    summary: "Groups that a channel has seen or is told about, and how margay behaves in each.",
    response: GroupsSchema,
    errors: ["channel.not-found"],
    handle: ({ services, params }) => ({ body: groupsOf(params["id"] ?? "", services) }),
  }),
];

function groupsOf(channel: string, { app }: Services): Groups {
  const loaded = app.inside.loaded();
  const { config, places } = loaded;
  const settings = Object.hasOwn(config.channelsById, channel) ? config.channelsById[channel] : undefined;
  if (settings === undefined)
    throw new Problem(
      "channel.not-found",
      told({ detail: TEXT.noChannelConfigured, remedy: TEXT.listsThemSays }, { id: channel.slice(0, 64) }),
    );
  const here = openGroups({ config: () => config, places });
  const joined = new Set(here.joined(channel));
  const bindings = bindingsOf(config);
  return {
    hash: settingsHash(loaded),
    usual: settings.groups,
    groups: knownGroups(channel, config, openSeenGroups(places), here).map(({ chat, title, at }) => {
      const own = Object.hasOwn(settings.chats, chat) ? settings.chats[chat] : undefined;
      const { agent } = bindingOf({ origin: { channel, chat }, audience: groupOf({ channel, chat }) }, bindings);
      return {
        chat,
        ...(title !== undefined && { title }),
        manner: here.manners({ channel, chat })?.mode ?? "off",
        ...(own?.groups !== undefined && { own: own.groups }),
        configured: own !== undefined,
        joined: joined.has(chat),
        allow: [...(own?.allowFrom ?? [])],
        ...(at !== undefined && { lastAt: at }),
        ...(agent !== MAIN && { agent }),
      };
    }),
  };
}
