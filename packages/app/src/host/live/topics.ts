/** Small notes about what changed outside of conversations: a page that shows it reads it again. */
import type { Json } from "@margay/core";
import type { TOPICS } from "../../protocol/frames.ts";

export type Topic = (typeof TOPICS)[number];

export interface Topics {
  publish(topic: Topic, data: Json): void;
  /** @returns the function that ends it. */
  follow(topic: Topic, listener: (data: Json) => void): () => void;
}

export function createTopics(): Topics {
  const listeners = new Map<Topic, Set<(data: Json) => void>>();
  return {
    publish: (topic, data) => {
      for (const listener of listeners.get(topic) ?? []) listener(data);
    },
    follow: (topic, listener) => {
      const all = listeners.get(topic) ?? new Set();
      listeners.set(topic, all);
      all.add(listener);
      return () => void all.delete(listener);
    },
  };
}
