// Both languages, both themes, both sizes: what every screen is drawn in.
export const LOOKS = [
  { label: "desktop-light-en", theme: "light", language: "en", phone: false },
  { label: "desktop-dark-zh", theme: "dark", language: "zh-CN", phone: false },
  { label: "phone-light-en", theme: "light", language: "en", phone: true },
  { label: "phone-dark-zh", theme: "dark", language: "zh-CN", phone: true },
] as const;

/** Pages beside the chat, each drawn once. */
export const PAGES = [
  ...["approvals", "tasks", "cron", "heartbeat", "memory", "skills", "personas", "channels", "mcp", "models", "tools"],
  ...["usage", "security", "audit", "system", "settings", "files", "help"],
] as const;
/** Over a chat or beside it: what a key or a click opens. */
export const OVER = ["find", "palette", "picker", "rename", "preview", "notifications"] as const;
/** Of what is in the chat and at the door. */
export const OTHER = [
  ...["empty", "chat", "approval"],
  ...["setup", "setup-weak", "welcome", "setup-closed", "login-wrong", "login-locked", "login-failed"],
] as const;
/** Their names, after the look: `docs/pages-and-tests.md` may name these alone. */
export type Screen = (typeof PAGES)[number] | (typeof OVER)[number] | (typeof OTHER)[number];
export const SCREENS: readonly string[] = [...PAGES, ...OVER, ...OTHER];
