export { Bureau, Bureau as default } from './bureau.ts';
export { errorClasses, orderErrorClasses } from './error-classes.ts';
