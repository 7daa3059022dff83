// The files `onboard` puts into a new workspace. Unedited they say nothing the prompt needs, so they are left out of it.
import { en } from "./templates.en.ts";
import { zh } from "./templates.zh.ts";

export interface WorkspaceTemplate {
  readonly path: string;
  readonly text: string;
}

/** The templates of one language, in the order they are written. */
export function workspaceTemplates(language: "en" | "zh-CN"): readonly WorkspaceTemplate[] {
  return Object.entries(language === "en" ? en : zh).map(([path, text]) => ({ path, text }));
}

/** Whether `text` is the shipped template of `path` in any language, but for white space at its ends. */
export function isTemplate(path: string, text: string): boolean {
  const plain = text.replaceAll("\r\n", "\n").trim();
  return [en, zh].some((texts) =>
    Object.entries<string>(texts).some(([of, text]) => of === path && text.trim() === plain),
  );
}
