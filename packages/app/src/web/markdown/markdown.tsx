/** What the model wrote. What reads Markdown is loaded after the first picture: until then, the text stands as it was written. */
import { signal } from "@preact/signals";
import type { ComponentType, VNode } from "preact";
import { useEffect } from "preact/hooks";
import type { MarkdownProps } from "./markdown-view.tsx";
import "./markdown.css";

const view = signal<ComponentType<MarkdownProps> | "failed" | undefined>(undefined);

/** Whether messages can be drawn; also when the code could not be fetched, and they are shown as they were written. */
export function canReadMarkdown(): boolean {
  return view.value !== undefined;
}

/** Fetches what reads Markdown. May be called again: what is there stays, what failed is tried anew. */
export async function loadMarkdown(): Promise<void> {
  if (typeof view.peek() === "function") return;
  try {
    const { MarkdownView } = await import("./markdown-view.tsx");
    view.value = MarkdownView;
  } catch {
    view.value = "failed";
  }
}

export function Markdown(props: MarkdownProps): VNode {
  const View = view.value;
  useEffect(() => void loadMarkdown(), []);
  if (typeof View === "function") return <View {...props} />;
  return (
    <div class="md">
      <p class="as-written">{props.text}</p>
    </div>
  );
}
