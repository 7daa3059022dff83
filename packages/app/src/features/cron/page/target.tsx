/** The chat that gets the result: one of those there are. */
import { addressText } from "@margay/core/internal/state";
import { t } from "./texts.ts";
import { Select } from "../../../web/ui/field.tsx";
import type { SessionSummary } from "../../../web/wire.ts";
import { useResource } from "../../../web/panel-kit/resource.ts";

export interface Address {
  readonly channel: string;
  readonly chat: string;
  readonly thread?: string | undefined;
}

interface Props {
  readonly value: Address | undefined;
  readonly onChange: (target: Address | undefined) => void;
  readonly fault: string | undefined;
}

/** Chats of people; what the schedule itself opened is none. */
const SOURCES: ReadonlySet<SessionSummary["source"]> = new Set(["web", "cli", "channel"]);

export function Target({ value, onChange, fault }: Props) {
  const sessions = useResource<{ readonly items: readonly SessionSummary[] }>("/sessions?limit=200");
  const chats = new Map<string, { readonly address: Address; readonly title: string }>();
  for (const session of sessions.data?.items ?? [])
    if (SOURCES.has(session.source)) {
      const address = { channel: session.channel, chat: session.chat };
      if (!chats.has(addressText(address))) chats.set(addressText(address), { address, title: session.title });
    }
  if (value !== undefined && !chats.has(addressText(value)))
    chats.set(addressText(value), { address: value, title: "" });
  return (
    <Select
      label={t("target")}
      value={value === undefined ? "" : addressText(value)}
      fault={fault}
      onValue={(name) => onChange(chats.get(name)?.address)}
      options={[
        { value: "", label: t("targetChoose") },
        ...[...chats].map(([name, { title }]) => ({ value: name, label: title === "" ? name : `${title} (${name})` })),
      ]}
    />
  );
}
