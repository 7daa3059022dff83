/** What the gateway says about things that changed: pages load again. */
import { link } from "../store/link.ts";

export type Topic = "sessions" | "approvals" | "tasks" | "channels" | "mcp" | "cron" | "usage" | "system";

/**
 * @param changed Called too when the gateway begins to say it: what happened before is not said again.
 * @returns Stops listening.
 */
export function onTopic(topic: Topic, changed: () => void): () => void {
  const line = link();
  const unsubscribe = line.subscribe(() => ({ topic }), changed);
  const unlisten = line.listen((frame) => {
    if (frame.type === "topic" && frame.topic === topic) changed();
  });
  return () => {
    unlisten();
    unsubscribe();
  };
}
