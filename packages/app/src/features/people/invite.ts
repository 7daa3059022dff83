/** An invitation is made: for the page, and for `margay people add|invite`. */
import { findPluginKind } from "../../models/channel-kinds.ts";
import { kindOf } from "../../config/channel-ids.ts";
import { operation } from "../../host/control/operation.ts";
import type { Services } from "../../host/api/services.ts";
import { InvitedWith } from "./schema.ts";

/** Opens a chat with margay that begins with the code. */
export interface InvitationLink {
  readonly channel: string;
  readonly url: string;
}

/** Where the platform has such links, and we are known there. */
export function linksFor({ app }: Pick<Services, "app">, code: string): readonly InvitationLink[] {
  const { config, places } = app.inside.loaded();
  app.inside.secret(code); // should somebody paste it into a chat of theirs
  return Object.entries(config.channelsById).flatMap(([channel, { enabled }]) => {
    const form = findPluginKind(kindOf(channel, config.channelsById), places)?.manifest.startLink;
    const account = app.inside.platforms.status(channel)?.account?.replace(/^@/, "");
    if (!enabled || form?.startsWith("https://") !== true || account === undefined) return [];
    const url = form.replace("{account}", encodeURIComponent(account)).replace("{code}", code);
    return [{ channel, url }];
  });
}

export const PEOPLE_OPERATIONS = {
  "people.links": operation(InvitedWith, ({ code }, { services }) => linksFor(services, code)),
} as const;
