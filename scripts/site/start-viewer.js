/* Shows the API that serves this page. Nothing is fetched from elsewhere: no validator, no other document by the address. */
const darkness = matchMedia('(prefers-color-scheme: dark)');
const follow = () => document.documentElement.classList.toggle('dark-mode', darkness.matches);
darkness.addEventListener('change', follow);
follow();

SwaggerUIBundle({
  dom_id: '#viewer',
  url: '/api/v1/openapi.json',
  validatorUrl: null,
  queryConfigEnabled: false,
  deepLinking: true,
  docExpansion: 'list',
  defaultModelsExpandDepth: 0,
  displayRequestDuration: true,
  persistAuthorization: false,
});
