/** When something of the server is loaded: at once, when a topic says that it changed, when the line is back. */
import { useEffect } from "preact/hooks";
import { online } from "./offline.ts";
import { onTopic, type Topic } from "./topics.ts";

type Load = (signal?: AbortSignal) => Promise<void>;

/**
 * @param load A new one is another question.
 * @param failed It did not work: asked again as soon as the gateway is there.
 */
export function useLoads(load: Load, failed: boolean, topics: readonly Topic[]): void {
  useEffect(() => {
    const controller = new AbortController();
    void load(controller.signal);
    return () => controller.abort();
  }, [load]);
  useEffect(() => {
    const stops = topics.map((topic) => onTopic(topic, () => void load()));
    return () => {
      for (const stop of stops) stop();
    };
  }, [load, topics.join()]);
  // What failed while the gateway was away is asked again as soon as it is back.
  useEffect(() => {
    let was = online.peek(); // a signal tells its value at once: only a change is a reason to ask
    return online.subscribe((up) => {
      if (up && !was && failed) void load();
      was = up;
    });
  }, [load, failed]);
}
