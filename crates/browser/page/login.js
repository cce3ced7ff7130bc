// The view that somebody wants to see is behind the # of the address, which no server is sent. It goes with the form, and from there with the
// redirect to the page.

document.querySelector('form').action = 'login' + location.hash;
