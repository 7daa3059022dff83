/** How margay behaves in groups of a channel where nothing else is said of one. */
import type { z } from "zod";
import MannersBody from "virtual:form/channels/schema.ts#MannersBody";
import type { MannersBody as Body } from "../../schema.ts";
import { t } from "./texts.ts";
import { fieldsOf } from "../../../../web/ui/form-shape.ts";
import { ResourceForm, useForm } from "../../../../web/panel-kit/resource-form.tsx";
import { writeSettings } from "../write-settings.ts";
import type { ChannelView, GroupsView } from "../types.ts";

type Manner = z.infer<typeof Body>;

const FIELDS = ["groups", "names", "follow", "bots", "live"] as const;

interface Props {
  readonly channel: ChannelView;
  readonly view: GroupsView;
  readonly reload: () => Promise<void>;
}

export function Manners({ channel, view, reload }: Props) {
  const { names, follow = false, bots = "heard", live = "private" } = channel.config;
  const saved: Manner = { groups: view.usual, names: names ?? [], follow, bots, live };
  const form = useForm<Manner>({
    name: `channels/${channel.id}/groups`,
    saved,
    hash: JSON.stringify(saved),
    fields: fieldsOf(MannersBody, FIELDS, t.find),
    reload,
    write: async ({ names: own = [], ...manner }) =>
      writeSettings({ channels: { [channel.id]: { ...manner, names: own.length === 0 ? null : own } } }, view.hash),
    said: () => t("saved"),
  });
  return (
    <details class="p-card">
      <summary>{t("usual", { manner: t(`groups_${view.usual}`) })}</summary>
      <ResourceForm form={form} />
    </details>
  );
}
