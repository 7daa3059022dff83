// Both languages, both themes, both sizes: what every screen is drawn in.
export const LOOKS = [
  { name: "desktop-light-en", theme: "light", language: "en", phone: false },
  { name: "desktop-dark-zh", theme: "dark", language: "zh-CN", phone: false },
  { name: "phone-light-en", theme: "light", language: "en", phone: true },
  { name: "phone-dark-zh", theme: "dark", language: "zh-CN", phone: true },
] as const;
