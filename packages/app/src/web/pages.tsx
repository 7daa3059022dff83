/** The pages beside the chat: each is loaded when it is opened first. */
import type { ComponentType } from "preact";
import { t, type CommonKey } from "./texts/index.ts";
import { isPersons } from "./auth.ts";
import { route } from "./lib/route.ts";
import type { IconName } from "./ui/icon.tsx";
import type { PanelProps } from "./panel-kit/panel.ts";

export interface Panel {
  /** First part of `?p=`. */
  readonly id: string;
  readonly titleKey: CommonKey;
  readonly icon: IconName;
  readonly load: () => Promise<ComponentType>;
}

/** In the order of the navigation. */
const PANELS: readonly Panel[] = [
  panel("approvals", "bell", async () => (await import("../features/approvals/page/page.tsx")).ApprovalsPage),
  panel(
    "notifications",
    "archive",
    async () => (await import("../features/notifications/page/page.tsx")).NotificationsPage,
  ),
  panel("tasks", "layers", async () => (await import("../features/tasks/page/page.tsx")).TasksPage),
  panel("cron", "calendar", async () => (await import("../features/cron/page/page.tsx")).CronPage),
  panel("heartbeat", "heart", async () => (await import("../features/heartbeat/page/page.tsx")).HeartbeatPage),
  panel("memory", "book", async () => (await import("../features/memory/page/page.tsx")).MemoryPage),
  panel("skills", "spark", async () => (await import("../features/skills/page/page.tsx")).SkillsPage),
  panel("personas", "mask", async () => (await import("../features/personas/page/page.tsx")).PersonasPage),
  panel("channels", "chat", async () => (await import("../features/channels/page/page.tsx")).ChannelsPage),
  panel("mcp", "plug", async () => (await import("../features/mcp/page/page.tsx")).McpPage),
  panel("models", "cpu", async () => (await import("../features/providers/page/page.tsx")).ModelsPage),
  panel("tools", "tool", async () => (await import("../features/tools/page/page.tsx")).ToolsPage),
  panel("usage", "chart", async () => (await import("../features/usage/page/page.tsx")).UsagePage),
  panel("security", "shield", securityPage),
  panel("audit", "list", async () => (await import("../features/audit/page/page.tsx")).AuditPage),
  panel("system", "server", async () => (await import("../features/system/page/page.tsx")).SystemPage),
  panel("settings", "gear", async () => (await import("../features/settings/page/page.tsx")).SettingsPage),
  panel("files", "folder", async () => (await import("../features/workspace/page/page.tsx")).FilesPage),
  panel("help", "help", async () => (await import("./shell/help-page.tsx")).HelpPage),
];

/** A person beside the owner has those that show what is theirs. */
export function panels(): readonly Panel[] {
  return isPersons.value ? PANELS.filter(({ id }) => id === "cron" || id === "memory") : PANELS;
}

export interface Page {
  readonly id: string;
  readonly icon: IconName;
  readonly load: () => Promise<ComponentType>;
  readonly title: () => string;
}

export function panelTitle(panel: Panel): string {
  return t(panel.titleKey);
}

/** Opened from the chat alone: they need to know of what. */
const OF_THE_CHAT: readonly Page[] = [
  {
    id: "explain",
    icon: "info",
    title: () => t("page.explain"),
    load: async () => (await import("../features/explain/page/explain-page.tsx")).ExplainPage,
  },
  {
    id: "session",
    icon: "branch",
    title: () => t("page.transcript"),
    load: async () => (await import("../features/explain/page/transcript-page.tsx")).TranscriptPage,
  },
];

/** `cron/<id>` is the page `cron`. */
export function panelOf(address: string): Page | undefined {
  const [id] = address.split("/");
  const panel = panels().find((one) => one.id === id);
  return panel ? { ...panel, title: () => panelTitle(panel) } : OF_THE_CHAT.find((page) => page.id === id);
}

type Name<Key extends string = CommonKey> = Key extends `nav.${infer Id}` ? Id : never;

function panel(id: Name, icon: IconName, load: () => Promise<ComponentType<PanelProps>>): Panel {
  return { id, titleKey: `nav.${id}`, icon, load: async () => withRest(id, await load()) };
}

/** What follows the page's name in the address is the page's own. */
function withRest(id: string, Page: ComponentType<PanelProps>): ComponentType {
  return function PanelPage() {
    const address = route.value.panel ?? "";
    const rest = address.startsWith(`${id}/`) ? address.slice(id.length + 1) : undefined;
    return (
      <div class="p-page" data-page={id}>
        <Page rest={rest} />
      </div>
    );
  };
}

/** Its tabs are parts of other pages. */
async function securityPage(): Promise<ComponentType<PanelProps>> {
  const [{ SecurityPage }, { KeptAside }, { Access }, { PolicyTable }, { Hooks }] = await Promise.all([
    import("./shell/security-page.tsx"),
    import("../features/quarantine/page/kept-aside.tsx"),
    import("../features/access/page/access.tsx"),
    import("../features/approvals/page/policy.tsx"),
    import("../features/hooks/page/hooks.tsx"),
  ]);
  return function Security() {
    return (
      <SecurityPage quarantine={<KeptAside />} access={<Access />} policy={<PolicyTable />} webhooks={<Hooks />} />
    );
  };
}

/** The set-up. */
export async function loadWelcome(): Promise<ComponentType> {
  return (await import("../features/onboard/page/index.tsx")).Welcome;
}
