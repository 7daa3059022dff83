// Both languages, both themes, both sizes: what every screen is drawn in.
export const LOOKS = [
  { label: "desktop-light-en", theme: "light", language: "en", phone: false },
  { label: "desktop-dark-zh", theme: "dark", language: "zh-CN", phone: false },
  { label: "phone-light-en", theme: "light", language: "en", phone: true },
  { label: "phone-dark-zh", theme: "dark", language: "zh-CN", phone: true },
] as const;
