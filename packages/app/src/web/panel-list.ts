/** The pages there are, as the navigation and the palette show them. */
import type { ComponentType } from "preact";
import { t as explain } from "../features/explain/page/texts.ts";
import { t } from "./texts/index.ts";
import type { IconName } from "./ui/icon.tsx";
import { PANELS } from "./pages.tsx";

export { PANELS };

export interface Page {
  readonly id: string;
  readonly icon: IconName;
  readonly load: () => Promise<ComponentType>;
  readonly title: () => string;
}

export function panelTitle(panel: (typeof PANELS)[number]): string {
  return t(panel.titleKey);
}

/** Opened from the chat alone: they need to know of what. */
const OF_THE_CHAT: readonly Page[] = [
  {
    id: "explain",
    icon: "info",
    title: () => explain("title"),
    load: async () => (await import("../features/explain/page/explain-page.tsx")).ExplainPage,
  },
  {
    id: "session",
    icon: "branch",
    title: () => explain("transcript"),
    load: async () => (await import("../features/explain/page/transcript-page.tsx")).TranscriptPage,
  },
];

/** `cron/<id>` is the page `cron`. */
export function panelOf(address: string): Page | undefined {
  const [id] = address.split("/");
  const panel = PANELS.find((one) => one.id === id);
  return panel ? { ...panel, title: () => panelTitle(panel) } : OF_THE_CHAT.find((page) => page.id === id);
}
