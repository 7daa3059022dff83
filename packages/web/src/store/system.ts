/** What holds for the whole gateway and belongs above every chat: practice mode, the emergency stop. */
import { signal } from "@preact/signals";
import { api } from "../api.ts";
import { link } from "./link.ts";

export const estop = signal(false);

export async function loadSystem(): Promise<void> {
  try {
    estop.value = (await api.get<{ on: boolean }>("/estop")).body.on;
  } catch {
    // the bar says when the gateway is away
  }
}

export function watchSystem(): void {
  void loadSystem();
  link().listen((frame) => {
    if (frame.type === "welcome" || (frame.type === "topic" && frame.topic === "system")) void loadSystem();
  });
  link().subscribe(() => ({ topic: "system" }));
}
