/** Tells pages that show something that it changed; they read it again. */
import { createEvents } from "./events.ts";
import type { Topic } from "./topics.ts";
import type { Services } from "../api/services.ts";

export function announce({ once }: Services, topic: Topic, changed: string): void {
  once(createEvents).topics.publish(topic, { changed });
}
