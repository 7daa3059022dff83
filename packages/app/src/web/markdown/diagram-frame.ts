/** Runs in the sandboxed frame alone: takes a diagram's source, gives back its picture as text. */
import mermaid from "mermaid";

addEventListener("message", (event: MessageEvent<{ source?: unknown; dark?: unknown }>) => {
  if (event.source !== parent || typeof event.data.source !== "string") return;
  void draw(event.data.source, event.data.dark === true);
});
parent.postMessage({ ready: true }, "*");

async function draw(source: string, dark: boolean): Promise<void> {
  try {
    mermaid.initialize({
      startOnLoad: false,
      securityLevel: "strict",
      htmlLabels: false,
      flowchart: { htmlLabels: false },
      theme: dark ? "dark" : "neutral",
      fontFamily: "system-ui, sans-serif",
      suppressErrorRendering: true,
    });
    const { svg } = await mermaid.render("diagram", source);
    parent.postMessage({ svg }, "*");
  } catch (error) {
    parent.postMessage({ error: error instanceof Error ? error.message : String(error) }, "*");
  }
}
