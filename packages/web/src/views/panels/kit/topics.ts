/** What the gateway says about things that changed: pages load again. */
import { link } from "../../../store/link.ts";

export type Topic = "sessions" | "approvals" | "tasks" | "channels" | "mcp" | "cron" | "usage" | "system";

/** @returns Stops listening. */
export function onTopic(topic: Topic, changed: () => void): () => void {
  const line = link();
  const unsubscribe = line.subscribe(() => ({ topic }));
  const unlisten = line.listen((frame) => {
    if (frame.type === "topic" && frame.topic === topic) changed();
  });
  return () => {
    unlisten();
    unsubscribe();
  };
}
