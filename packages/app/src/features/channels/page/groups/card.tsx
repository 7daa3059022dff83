/** One group: what margay does there in plain words, switched on and off with one press, and the rest behind it. */
import { useState } from "preact/hooks";
import type { z } from "zod";
import GroupBody from "virtual:form/channels/schema.ts#GroupBody";
import type { GroupBody as Body } from "../../schema.ts";
import { c } from "../../../../web/texts/panels-common.ts";
import { t } from "./texts.ts";
import { Button } from "../../../../web/ui/button.tsx";
import { fieldsOf } from "../../../../web/ui/form-shape.ts";
import { toast } from "../../../../web/ui/toast.tsx";
import { Act, Outcome, useAct } from "../../../../web/panel-kit/act.tsx";
import { relative } from "../../../../web/panel-kit/format.ts";
import { ResourceForm, useForm } from "../../../../web/panel-kit/resource-form.tsx";
import { useNow } from "../../../../web/panel-kit/time.ts";
import { writeSettings } from "../write-settings.ts";
import type { ChannelView, GroupsView, GroupView } from "../types.ts";
import { Explain } from "./explain.tsx";

interface Props {
  readonly channel: ChannelView;
  readonly view: GroupsView;
  readonly group: GroupView;
  readonly reload: () => Promise<void>;
}

const TONES = { off: "", named: "ok", all: "ok", listen: "accent" } as const;

export function GroupCard(props: Props) {
  const { channel, view, group, reload } = props;
  const acting = useAct();
  const [open, setOpen] = useState<"edit" | "explain" | undefined>(undefined);
  const { chat, manner } = group;
  const name = group.title ?? chat;
  const put = (change: object | null, said: string) => async (): Promise<void> => {
    await writeSettings({ channels: { [channel.id]: { chats: { [chat]: change } } } }, view.hash).finally(reload);
    toast(said);
  };
  const toggle = (what: "edit" | "explain"): void => setOpen(open === what ? undefined : what);
  return (
    <li class="p-card" data-group={chat}>
      <div class="p-row">
        <strong class="grow">{name}</strong>
        <span class={`badge ${TONES[manner]}`}>{t(`groups_${manner}`)}</span>
      </div>
      <Facts group={group} />
      <p>
        {t(`says_${manner}`)} {manner !== "off" && whoSpeaks(channel, group)}
      </p>
      <Outcome of={acting} />
      <div class="p-row">
        {manner === "off" ? (
          <Act acting={acting} work={put({ groups: "named" }, t("isOn", { name }))} kind="primary" size="small">
            {t("switchOn")}
          </Act>
        ) : (
          <Act acting={acting} work={put({ groups: "off" }, t("isOff", { name }))} size="small">
            {t("switchOff")}
          </Act>
        )}
        <Button size="small" aria-expanded={open === "edit"} onClick={() => toggle("edit")}>
          {c("edit")}
        </Button>
        <Button size="small" kind="quiet" aria-expanded={open === "explain"} onClick={() => toggle("explain")}>
          {t("explain")}
        </Button>
        <span class="grow" />
        {group.configured && (
          <Act acting={acting} work={put(null, t("forgotten", { name }))} kind="quiet" size="small">
            {t("forget")}
          </Act>
        )}
      </div>
      {open === "edit" && <GroupForm {...props} done={() => setOpen(undefined)} />}
      {open === "explain" && <Explain channel={channel.id} chat={chat} />}
    </li>
  );
}

function Facts({ group: { chat, title, manner, lastAt, joined, agent } }: Pick<Props, "group">) {
  const now = useNow();
  return (
    <p class="p-facts-line">
      {title !== undefined && <code>{chat}</code>}
      {lastAt !== undefined && <span>{t("last", { when: relative(lastAt, now) })}</span>}
      {joined && <span>{t("joined")}</span>}
      {agent !== undefined && manner !== "off" && <span>{t("agent", { name: agent })}</span>}
    </p>
  );
}

/** Beside persons and those who may write anywhere on this channel. */
function whoSpeaks(channel: ChannelView, { allow }: GroupView): string {
  if (allow.includes("*") || channel.allow.includes("*")) return t("speakAll");
  return allow.length === 0 ? t("speakKnown") : t("speakMore", { ids: allow.join(", ") });
}

type Draft = z.infer<typeof Body>;

function GroupForm({ channel, view, group, reload, done }: Props & { readonly done: () => void }) {
  const saved: Draft = { groups: group.own ?? "usual", allow: group.allow };
  const form = useForm<Draft>({
    name: `channels/${channel.id}/groups/${group.chat}`,
    saved,
    hash: JSON.stringify(saved),
    fields: fieldsOf(GroupBody, ["groups", "allow"], t.find),
    reload,
    write: async ({ groups, allow = [] }) => {
      const change = { groups: groups === "usual" ? null : groups, allowFrom: allow.length === 0 ? null : allow };
      await writeSettings({ channels: { [channel.id]: { chats: { [group.chat]: change } } } }, view.hash);
    },
    said: () => t("saved"),
    done: async () => {
      await reload();
      done();
    },
  });
  return <ResourceForm form={form} />;
}
