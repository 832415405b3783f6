"""Dashboard, page shell and the commands that start the product."""
