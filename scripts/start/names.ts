/** The names of the two Workers. */
export const EXCHANGE = 'bureau';
export const CONSOLE = 'bureau-console';
