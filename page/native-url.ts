// In place of the package url-parse, which tus-js-client brings for browsers without URL.
export default URL;
