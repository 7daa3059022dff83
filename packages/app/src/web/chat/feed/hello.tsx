/** An empty chat: what shall we do, and what is to know before that. */
import type { VNode } from "preact";
import { Lazy } from "../../shell/lazy.tsx";
import { t } from "../../texts/chat.ts";
import { Mark } from "../../ui/mark.tsx";

export function Hello(): VNode {
  return (
    <div class="hello">
      <Mark size={48} />
      <h2>{t("feed.hello")}</h2>
      <Lazy load={home} props={{}} />
    </div>
  );
}

const home = async () => (await import("../../home/home.tsx")).Home;
