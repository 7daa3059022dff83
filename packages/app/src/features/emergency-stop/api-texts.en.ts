/** What routes of emergency-stop say. */
export const en = {
  takingEmergencyStop: "Taking the emergency stop back",
} as const;
