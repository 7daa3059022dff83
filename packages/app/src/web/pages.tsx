/** The pages beside the chat: each is loaded when it is opened first. */
import type { ComponentType } from "preact";
import { t, type CommonKey } from "./texts/index.ts";
import { may } from "./auth.ts";
import { openPage } from "./lib/route.ts";
import type { IconName } from "./ui/icon.tsx";
import type { PanelProps } from "./panel-kit/panel.ts";

export interface Panel {
  /** First part of `?p=`. */
  readonly id: string;
  readonly titleKey: CommonKey;
  readonly icon: IconName;
  /** What it asks the gateway for first. */
  readonly needs: string | undefined;
  readonly load: () => Promise<ComponentType>;
}

/** In the order of the navigation. */
const PANELS: readonly Panel[] = [
  panel(
    "approvals",
    "bell",
    "listApprovals",
    async () => (await import("../features/approvals/page/page.tsx")).ApprovalsPage,
  ),
  panel(
    "notifications",
    "archive",
    "listNotifications",
    async () => (await import("../features/notifications/page/page.tsx")).NotificationsPage,
  ),
  panel("tasks", "layers", "listTasks", async () => (await import("../features/tasks/page/page.tsx")).TasksPage),
  panel("cron", "calendar", "listJobs", async () => (await import("../features/cron/page/page.tsx")).CronPage),
  panel(
    "heartbeat",
    "heart",
    "getHeartbeat",
    async () => (await import("../features/heartbeat/page/page.tsx")).HeartbeatPage,
  ),
  panel("memory", "book", "listMemoryFiles", async () => (await import("../features/memory/page/page.tsx")).MemoryPage),
  panel("skills", "spark", "listSkills", async () => (await import("../features/skills/page/page.tsx")).SkillsPage),
  panel(
    "personas",
    "mask",
    "listPersonas",
    async () => (await import("../features/personas/page/page.tsx")).PersonasPage,
  ),
  panel("presets", "edit", "listPresets", async () => (await import("../features/presets/page/page.tsx")).PresetsPage),
  panel(
    "channels",
    "users",
    "listChannels",
    async () => (await import("../features/channels/page/page.tsx")).ChannelsPage,
  ),
  panel("mcp", "plug", "listMcpServers", async () => (await import("../features/mcp/page/page.tsx")).McpPage),
  panel("models", "cpu", "listModels", async () => (await import("../features/providers/page/page.tsx")).ModelsPage),
  panel("tools", "tool", "listTools", async () => (await import("../features/tools/page/page.tsx")).ToolsPage),
  panel("usage", "chart", "getUsage", async () => (await import("../features/usage/page/page.tsx")).UsagePage),
  panel("security", "shield", "getPolicy", securityPage),
  panel("audit", "list", "listAudit", async () => (await import("../features/audit/page/page.tsx")).AuditPage),
  panel("system", "server", "getSystem", async () => (await import("../features/system/page/page.tsx")).SystemPage),
  panel(
    "settings",
    "gear",
    "getSettings",
    async () => (await import("../features/settings/page/page.tsx")).SettingsPage,
  ),
  panel(
    "files",
    "folder",
    "listWorkspace",
    async () => (await import("../features/workspace/page/page.tsx")).FilesPage,
  ),
  panel("help", "help", undefined, async () => (await import("./shell/help-page.tsx")).HelpPage),
];

export function panels(): readonly Panel[] {
  return PANELS.filter(isAllowed);
}

function isAllowed({ needs }: Pick<Panel, "needs">): boolean {
  return needs === undefined || may(needs);
}

export interface Page {
  readonly id: string;
  readonly icon: IconName;
  readonly load: () => Promise<ComponentType>;
  readonly title: () => string;
  readonly needs: string | undefined;
}

export function panelTitle(panel: Panel): string {
  return t(panel.titleKey);
}

/** Opened from the chat alone: they need to know of what. */
const OF_THE_CHAT: readonly Page[] = [
  {
    id: "preview",
    icon: "eye",
    needs: undefined,
    title: () => t("page.preview"),
    load: async () => (await import("./preview/preview-page.tsx")).PreviewPage,
  },
  {
    id: "share",
    icon: "download",
    needs: "exportSession",
    title: () => t("page.share"),
    load: async () => (await import("./share/share-page.tsx")).SharePage,
  },
  {
    id: "explain",
    icon: "info",
    needs: "explainTurn",
    title: () => t("page.explain"),
    load: async () => (await import("../features/explain/page/explain-page.tsx")).ExplainPage,
  },
  {
    id: "session",
    icon: "branch",
    needs: "listMessages",
    title: () => t("page.transcript"),
    load: async () => (await import("../features/explain/page/transcript-page.tsx")).TranscriptPage,
  },
];

/** `cron/<id>` is the page `cron`. */
export function panelOf(address: string): Page | undefined {
  const [id] = address.split("/");
  const panel = panels().find((one) => one.id === id);
  if (panel) return { ...panel, title: () => panelTitle(panel) };
  return OF_THE_CHAT.find((page) => page.id === id && isAllowed(page));
}

type Name<Key extends string = CommonKey> = Key extends `nav.${infer Id}` ? Id : never;

function panel(id: Name, icon: IconName, needs: Panel["needs"], load: () => Promise<ComponentType<PanelProps>>): Panel {
  return { id, titleKey: `nav.${id}`, icon, needs, load: async () => withRest(id, await load()) };
}

/** What follows the page's name in the address is the page's own. */
function withRest(id: string, Page: ComponentType<PanelProps>): ComponentType {
  return function PanelPage() {
    const address = openPage.value ?? "";
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
